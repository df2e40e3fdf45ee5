// Commands for a shell that read what the page shows.

/** The command that reads a feature of a key with curl. `server` is an address, `entities` the key, `token` whether one is needed. */
export function curl({server, view, entities, feature, token}) {
  const body = JSON.stringify({entities: [entities], features: [feature]});
  return ['curl', '-s', quoted(`${server}/v1/views/${encodeURIComponent(view)}:read`),
    ...(token ? ['-H', '"authorization: Bearer $THALWEG_TOKEN"'] : []), '-d', quoted(body)].join(' ');
}

/** The command that reads all features of a key with thalweg, which takes a token from THALWEG_TOKEN. */
export function get({server, view, entities}) {
  const key = Object.entries(entities).flatMap(([name, value]) => ['-e', quoted(`${name}=${value}`)]);
  return ['./thalweg', 'get', quoted(view), ...key, '--server', server].join(' ');
}

function quoted(argument) {
  return /^[\w.:/=@-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

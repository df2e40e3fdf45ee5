// Commands for a shell that read what the page shows.

/**
 * The command that reads a feature of a key with curl. `server` is an address, `entities` the key, `asOf` a time or null, `token`
 * whether one is needed.
 */
export function curl({server, view, entities, feature, asOf, token}) {
  const body = JSON.stringify({entities: [entities], features: [feature], ...(asOf ? {as_of: asOf} : {})});
  return ['curl', '-s', quoted(`${server}/v1/views/${encodeURIComponent(view)}:read`),
    ...(token ? ['-H', '"authorization: Bearer $THALWEG_TOKEN"'] : []), '-d', quoted(body)].join(' ');
}

/** The command that reads all features of a key with thalweg, which takes a token from THALWEG_TOKEN. */
export function get({server, view, entities, asOf}) {
  const key = Object.entries(entities).flatMap(([name, value]) => ['-e', quoted(`${name}=${value}`)]);
  return ['./thalweg', 'get', quoted(view), ...key, ...(asOf ? ['--as-of', asOf] : []), '--server', server].join(' ');
}

function quoted(argument) {
  return /^[\w.:/=@-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

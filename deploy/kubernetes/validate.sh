#!/usr/bin/env bash
# Checks what kustomize makes of the manifests against the schemas of any version of Kubernetes, and of the Flink Kubernetes Operator if its
# definition is given. For overlays, and for other versions than those that make test checks the files against (KubernetesSchemasTest):
#   validate.sh [KUBERNETES_VERSION] [flinkdeployments.flink.apache.org-v1.yml]
# Unknown keys are errors. Needs kubectl (for kustomize) and python3 with venv, which installs kubernetes-validate from PyPI.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=${1:-1.31} crd=${2:-}
folder=$(mktemp -d "${TMPDIR:-/tmp}/thalweg-kubernetes-XXXXXXXXXX")
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install kubernetes-validate
kubectl kustomize "$here/base" >"$folder/base.yaml"
kubectl kustomize "$here/flink" >"$folder/flink.yaml"
"$folder/venv/bin/python" - "$version" "$crd" "$folder"/base.yaml "$folder"/flink.yaml <<'PYTHON'
import sys

import jsonschema
import kubernetes_validate
import yaml


def closed(schema):
    """The schema as the API server applies it: no keys that it does not name, and numbers where it takes either."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: closed(value) for key, value in schema.items()}
    if schema.pop("x-kubernetes-int-or-string", False):
        return {"type": ["integer", "string"]}
    if "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
        schema.setdefault("additionalProperties", False)
    return schema


version, crd, *files = sys.argv[1:]
flink = None
if crd:
    with open(crd) as file:
        schema = yaml.safe_load(file)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    flink = jsonschema.Draft7Validator(closed(schema["properties"]["spec"]))
valid = set()
for name in files:
    with open(name) as file:
        for document in yaml.safe_load_all(file):
            kind = document["kind"]
            if kind != "FlinkDeployment":
                kubernetes_validate.validate(document, version, strict=True)
            elif flink:
                flink.validate(document["spec"])
            else:
                continue
            valid.add(kind + " " + document["metadata"]["name"])
print("\n".join(sorted(valid)))
print(len(valid), "valid for Kubernetes", version)
if not flink:
    print("FlinkDeployment is not checked: no definition of the operator is given")
PYTHON

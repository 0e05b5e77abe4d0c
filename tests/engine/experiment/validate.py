#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# validate.py SCHEMA DOCUMENTS: validates each line of DOCUMENTS, a JSON document, with the package jsonschema. Prints a line for each:
# "valid", or the place and the reason of the first error.
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for line in open(sys.argv[2], encoding="utf-8"):
    error = next(validator.iter_errors(json.loads(line)), None)
    print("valid" if error is None else f"/{'/'.join(map(str, error.absolute_path))}: {error.message}".replace("\n", " ")[:300])

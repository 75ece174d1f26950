"""Presidio's anonymizer itself: a case as JSON in each line, an answer as JSON in each line."""
import json
import sys

from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import InvalidParamError, OperatorConfig, RecognizerResult

engine = AnonymizerEngine()
with open(sys.argv[1], encoding="utf-8") as cases:
    for line in cases:
        case = json.loads(line)
        results = [
            RecognizerResult(
                entity_type=one["entity_type"], start=one["start"], end=one["end"], score=one["score"]
            )
            for one in case["analyzer_results"]
        ]
        operators = {
            name: OperatorConfig(given["type"], {key: value for key, value in given.items() if key != "type"})
            for name, given in case.get("anonymizers", {}).items()
        }
        try:
            answer = engine.anonymize(case["text"], results, operators or None)
            items = [item.to_dict() for item in answer.items]
            print(json.dumps({"text": answer.text, "items": items}))
        except InvalidParamError:
            print(json.dumps({"refused": True}))

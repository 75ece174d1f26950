/** What the Live API refuses in a setup. Each turn is checked for the same, so that rules can set its level. */
import { isRecord } from 'svc/toolkit'
import type { CheckGeminiSchema } from '../llm-gemini/types.ts'
import type { CheckedRequest, Engine, Report, RouteValidation, RuleSource, ValidationRule } from '../llm/types.ts'
import { fieldOf } from './fields.ts'

const READ = '2026-11-27'
const DEFINITION: RuleSource = {
  title: 'API definition google.ai.generativelanguage.v1beta, BidiGenerateContentSetup',
  url: 'https://ai.google.dev/api/live',
  kind: 'definition',
  read: READ,
}
function report(thread: string): RuleSource {
  return {
    title: `Error quoted in ${thread}`,
    url: `https://github.com/${thread.replace('#', '/issues/')}`,
    kind: 'report',
    read: READ,
  }
}

const RULES: readonly ValidationRule[] = [
  {
    rule: 'live.schema-field',
    phase: 'shape',
    confidence: 'reported',
    condition: 'A keyword that the schemas of the API do not have, in a function of the setup.',
    message: `Invalid JSON payload received. Unknown name "{name}" at '{at}': Cannot find field.`,
    sources: [DEFINITION, report('zed-industries/zed#44875')],
  },
  {
    rule: 'live.type-list',
    phase: 'shape',
    confidence: 'reported',
    condition: 'The type of a schema is a list, in a function of the setup.',
    message: `Invalid JSON payload received. Unknown name "type" at '{at}': Proto field is not repeating, cannot start list.`,
    sources: [DEFINITION, report('zed-industries/zed#53919')],
  },
  {
    rule: 'live.modalities',
    phase: 'shape',
    confidence: 'reported',
    condition: 'More than one response modality.',
    message: 'Request contains an invalid argument.',
    sources: [report('googleapis/go-genai#490'), report('google-gemini/cookbook#386')],
  },
]

/** Other violations in schemas close no socket as far as is known. */
const RULE_OF_SCHEMAS: Readonly<Record<string, string>> = {
  'gemini.schema-field': 'live.schema-field',
  'gemini.type-list': 'live.type-list',
}

export function liveValidation(engine: Engine, checkSchema: CheckGeminiSchema): RouteValidation {
  return {
    flavour: 'gemini-live',
    rules: RULES,
    check(request, report) {
      checkFunctions(engine, checkSchema, request, (rule, at, values) => {
        const own = RULE_OF_SCHEMAS[rule]
        if (own !== undefined) report(own, at, values)
      })
      const modalities = fieldOf(engine, fieldOf(engine, request.body, 'generationConfig'), 'responseModalities')
      if (Array.isArray(modalities) && modalities.length > 1)
        report('live.modalities', 'setup.generation_config.response_modalities')
    },
  }
}

function checkFunctions(engine: Engine, checkSchema: CheckGeminiSchema, request: CheckedRequest, report: Report): void {
  const { json } = engine
  json.listOf(request.body.tools).forEach((tool, index) => {
    json.listOf(fieldOf(engine, tool, 'functionDeclarations')).forEach((declaration, place) => {
      if (!isRecord(declaration)) return
      const at = `setup.tools[${index}].function_declarations[${place}]`
      for (const name of ['parameters', 'response'])
        checkSchema(declaration[name], { at: `${at}.${name}`, isVertex: false }, request, report)
    })
  })
}

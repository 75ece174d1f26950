/** Finds what the Gemini API and Vertex AI refuse. */
import { isRecord } from 'svc/toolkit'
import type { CheckedRequest, Engine, Report, RouteValidation } from '../../llm/types.ts'
import { field } from '../fields.ts'
import { checkConversation } from './conversation.ts'
import {
  BODY_MEMBERS,
  camelCase,
  CONFIG_MEMBERS,
  CONTENT_MEMBERS,
  DECLARATION_MEMBERS,
  PART_MEMBERS,
} from './known-members.ts'
import { GEMINI_LIMITS, GEMINI_RULES } from './rules.ts'
import { checkSchema } from './schema.ts'

type Body = Readonly<Record<string, unknown>>

const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/
const MAX_TESTED = 256
const MAX_STOPS = 5

export function geminiValidation(engine: Engine): RouteValidation {
  return {
    flavour: 'gemini',
    rules: GEMINI_RULES,
    limits: GEMINI_LIMITS,
    check(request, report) {
      const isVertex = request.path.includes('/publishers/')
      const inner = field(engine, request.body, 'generateContentRequest')
      const body = isRecord(inner) ? inner : request.body
      checkMembers(body, BODY_MEMBERS, '', request, report)
      const model = (request.params.model ?? '').replace(/^models\//, '')
      checkConfig(engine, body, { isVertex, model }, request, report)
      checkTools(engine, body, isVertex, request, report)
      checkContents(body.contents, request, report)
      checkConversation(engine, body.contents, { isVertex, model }, report)
    },
  }
}

function checkMembers(
  value: Body,
  known: ReadonlySet<string>,
  at: string,
  { fields }: CheckedRequest,
  report: Report,
): void {
  for (const name in value)
    if (!known.has(camelCase(name)) && !fields.has(name))
      report('gemini.unknown-field', at, at === '' ? { form: 'top', name } : { name })
}

function checkConfig(
  engine: Engine,
  body: Body,
  { isVertex, model }: { isVertex: boolean; model: string },
  request: CheckedRequest,
  report: Report,
): void {
  const config = field(engine, body, 'generationConfig')
  if (!isRecord(config)) return
  checkMembers(config, CONFIG_MEMBERS, 'generation_config', request, report)
  checkSchema(
    field(engine, config, 'responseSchema'),
    { at: 'generation_config.response_schema', isVertex },
    request,
    report,
  )
  const stops = field(engine, config, 'stopSequences')
  if (Array.isArray(stops) && stops.length > MAX_STOPS) report('gemini.stop-max', 'generation_config.stop_sequences')
  const isOlder = model.startsWith('gemini') && !engine.modelClasses(model).includes('gemini-3')
  if (isOlder && field(engine, config, 'responseMimeType') === 'application/json' && hasFunctions(engine, body))
    report('gemini.json-tools', 'generation_config.response_mime_type')
}

function hasFunctions(engine: Engine, { tools }: Body): boolean {
  return (
    Array.isArray(tools) &&
    tools.some(tool => engine.json.listOf(field(engine, tool, 'functionDeclarations')).length > 0)
  )
}

function checkTools(engine: Engine, { tools }: Body, isVertex: boolean, request: CheckedRequest, report: Report): void {
  if (!Array.isArray(tools)) return
  const names = new Set<string>()
  tools.forEach((tool: unknown, index) => {
    engine.json.listOf(field(engine, tool, 'functionDeclarations')).forEach((declaration, place) => {
      if (!isRecord(declaration)) return
      const at = `tools[${index}].function_declarations[${place}]`
      checkMembers(declaration, DECLARATION_MEMBERS, at, request, report)
      for (const name of ['parameters', 'response'])
        checkSchema(declaration[name], { at: `${at}.${name}`, isVertex }, request, report)
      const { name } = declaration
      if (typeof name !== 'string') return
      if (name.length > MAX_TESTED || !NAME.test(name)) report('gemini.function-name', at)
      if (names.has(name)) report('gemini.function-duplicate', at, { name })
      names.add(name)
    })
  })
}

function checkContents(contents: unknown, request: CheckedRequest, report: Report): void {
  if (!Array.isArray(contents)) return
  contents.forEach((content: unknown, index) => {
    if (!isRecord(content)) return
    const at = `contents[${index}]`
    checkMembers(content, CONTENT_MEMBERS, at, request, report)
    const parts = Array.isArray(content.parts) ? content.parts : content.parts === undefined ? [] : [content.parts]
    if (parts.length === 0) report('gemini.parts-empty', at)
    parts.forEach((part: unknown, place) => {
      if (!isRecord(part)) return
      checkMembers(part, PART_MEMBERS, `${at}.parts[${place}]`, request, report)
      if (Object.keys(part).length === 0) report('gemini.parts-empty', at)
    })
  })
}

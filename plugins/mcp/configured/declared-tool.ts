/** Owns tools declared in svc.yaml: they return the first answer with matching conditions and fill in arguments. */
import { isOutputError, OutputBudget, StepBudget, type Json } from 'svc/plugin'
import {
  below,
  checkReferences,
  expandText,
  expandTexts,
  expandValue,
  isValueTest,
  memberAt,
  readValueTest,
  type LookUp,
  type ReferenceWords,
  type ValueTest,
} from 'svc/toolkit'
import { ToolFailure } from '../errors.ts'
import type { DeclaredAnswer, DeclaredTool } from '../options.ts'
import type { CallContext, Content, JsonObject, ToolDefinition, ToolResult } from '../types.ts'

const MAX_ANSWER_BYTES = 256 * 1024
const REFERENCES: ReferenceWords = { args: 'names' }
/** The keys in whose texts arguments are filled in. */
const TEMPLATES = ['text', 'structured', 'content'] as const

/** An answer whose conditions are read. */
interface ReadAnswer {
  answer: DeclaredAnswer
  /** Bytes of the answer as declared. */
  bytes: number
  /** Tests by the name of an argument. */
  tests: readonly (readonly [name: string, test: ValueTest])[]
}

/**
 * Converts a declared tool for the registry. `evaluation` returns the budget of one call's conditions. Throws an `InputProblem` for a wrong
 * condition or reference, and an error if an answer is too large.
 */
export function defineDeclaredTool(
  tool: DeclaredTool,
  { maxDelayMs, evaluation }: { maxDelayMs: number; evaluation(): StepBudget },
): ToolDefinition {
  const answers = tool.answers.map((answer, index) => readAnswer(answer, `answers[${index}]`))
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.input_schema ?? { type: 'object' },
    outputSchema: tool.output_schema,
    annotations: tool.annotations,
    scope: tool.scope,
    call: (args, context) => answerDeclared(answers, args, context, { maxDelayMs, steps: evaluation() }),
  }
}

function readAnswer(answer: DeclaredAnswer, at: string): ReadAnswer {
  const bytes = Buffer.byteLength(JSON.stringify(answer))
  if (bytes > MAX_ANSWER_BYTES) throw new Error(`${at} has ${bytes} bytes (at most ${MAX_ANSWER_BYTES})`)
  for (const key of answer.template === false ? [] : TEMPLATES)
    if (answer[key] !== undefined) checkReferences(answer[key] as Json, REFERENCES, below(at, key))
  const tests = Object.entries((answer.when ?? {}) as Record<string, Json>).map(([name, value]) => {
    const place = below(below(at, 'when'), name)
    // An object with other keys, and a list, are values to be equal to.
    const test = typeof value !== 'object' || value === null || isValueTest(value) ? value : { equals: value }
    const options = { comparison: 'json', checks: StepBudget.unlimited(), isTrusted: true } as const
    return [name, readValueTest(test, place, options)] as const
  })
  return { answer, bytes, tests }
}

async function answerDeclared(
  answers: readonly ReadAnswer[],
  args: JsonObject,
  context: CallContext,
  { maxDelayMs, steps }: { maxDelayMs: number; steps: StepBudget },
): Promise<ToolResult> {
  const found = answers.find(({ tests }) =>
    tests.every(([name, test]) => test.holds(Object.hasOwn(args, name) ? [args[name] as Json] : [], steps)),
  )
  if (!found) return { content: [{ type: 'text', text: 'no answer is declared for these arguments' }], isError: true }
  const { answer, bytes } = found
  if (answer.delay_ms) await context.sleep(Math.min(answer.delay_ms, maxDelayMs))
  try {
    // What is inserted is limited, because a template may repeat a long argument.
    const fill = fillerOf(answer, args, new OutputBudget(bytes + MAX_ANSWER_BYTES))
    const structuredContent = answer.structured && (fill.value(answer.structured as Json) as JsonObject)
    return { content: contentOf(answer, structuredContent, fill), structuredContent, isError: answer.is_error }
  } catch (error) {
    if (!isOutputError(error)) throw error
    throw new ToolFailure(`the answer would be larger than ${MAX_ANSWER_BYTES} bytes`)
  }
}

interface Filler {
  text(text: string): string
  /** All texts, which stay texts. */
  texts(value: Json): Json
  /** A text that is a single reference gets the JSON type of the argument. */
  value(value: Json): Json
}

function fillerOf(answer: DeclaredAnswer, args: JsonObject, output: OutputBudget): Filler {
  if (answer.template === false) return { text: text => text, texts: value => value, value: value => value }
  const lookUp: LookUp = reference => memberAt(args as Json, reference.split('.').slice(1))
  return {
    text: text => expandText(text, lookUp, output),
    texts: value => expandTexts(value, lookUp, output),
    value: value => expandValue(value, lookUp, output),
  }
}

function contentOf(answer: DeclaredAnswer, structured: JsonObject | undefined, fill: Filler): Content[] {
  if (answer.content) return fill.texts(answer.content as Json) as Content[]
  return [{ type: 'text', text: answer.text === undefined ? JSON.stringify(structured) : fill.text(answer.text) }]
}

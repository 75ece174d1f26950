/** Owns tools declared in svc.yaml: they return the first answer with matching conditions and fill in arguments. */
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from 'svc/toolkit'
import { ToolFailure } from '../errors.ts'
import type { DeclaredAnswer, DeclaredTool } from '../options.ts'
import type { CallContext, Content, JsonObject, ToolDefinition, ToolResult } from '../types.ts'

const MAX_ANSWER_BYTES = 256 * 1024

/** Converts a declared tool for the registry. Throws if an answer is too large. */
export function defineDeclaredTool(tool: DeclaredTool, maxDelayMs: number): ToolDefinition {
  for (const [index, answer] of tool.answers.entries()) {
    const bytes = Buffer.byteLength(JSON.stringify(answer))
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`answers[${index}] has ${bytes} bytes (at most ${MAX_ANSWER_BYTES})`)
  }
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.input_schema ?? { type: 'object' },
    outputSchema: tool.output_schema,
    annotations: tool.annotations,
    scope: tool.scope,
    call: (args, context) => answerDeclared(tool.answers, args, context, maxDelayMs),
  }
}

async function answerDeclared(
  answers: DeclaredAnswer[],
  args: JsonObject,
  context: CallContext,
  maxDelayMs: number,
): Promise<ToolResult> {
  const answer = answers.find(({ when }) =>
    Object.entries(when ?? {}).every(
      ([name, value]) => Object.hasOwn(args, name) && isDeepStrictEqual(args[name], value),
    ),
  )
  if (!answer) return { content: [{ type: 'text', text: 'no answer is declared for these arguments' }], isError: true }
  if (answer.delay_ms) await context.sleep(Math.min(answer.delay_ms, maxDelayMs))
  const templateFiller = new TemplateFiller(args)
  const structuredContent = answer.structured && (templateFiller.fill(answer.structured) as JsonObject)
  return { content: contentOf(answer, structuredContent, templateFiller), structuredContent, isError: answer.is_error }
}

function contentOf(
  answer: DeclaredAnswer,
  structured: JsonObject | undefined,
  templateFiller: TemplateFiller,
): Content[] {
  if (answer.content) return templateFiller.fill(answer.content) as Content[]
  return [
    {
      type: 'text',
      text: answer.text === undefined ? JSON.stringify(structured) : templateFiller.fillText(answer.text),
    },
  ]
}

/** Replaces `{{args.a.b}}` in texts. The size is limited, because a template may repeat a long argument. */
class TemplateFiller {
  readonly #args: JsonObject
  #filledChars = 0

  constructor(args: JsonObject) {
    this.#args = args
  }

  /** Fills in all texts of a JSON value. */
  fill(value: unknown): unknown {
    if (typeof value === 'string') return this.fillText(value)
    if (Array.isArray(value)) return value.map(item => this.fill(item))
    if (!isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.fill(member)]))
  }

  /** Inserts text arguments as they are, others as JSON, missing ones as ''. Nothing is evaluated. */
  fillText(text: string): string {
    return text.replace(/\{\{args((?:\.[\w-]+)+)\}\}/g, (_, path: string) => {
      const value = valueAt(this.#args, path.slice(1).split('.'))
      const filled = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
      this.#filledChars += filled.length
      if (this.#filledChars > MAX_ANSWER_BYTES)
        throw new ToolFailure(`the answer would be larger than ${MAX_ANSWER_BYTES} bytes`)
      return filled
    })
  }
}

function valueAt(root: unknown, path: string[]): unknown {
  let value = root
  for (const name of path)
    value =
      (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined
  return value
}

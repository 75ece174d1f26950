/** Reads the lines of a batch's input file. */
import { Pacer } from 'svc/plugin'
import type { Engine } from '../../llm/types.ts'

/** A request in the input file. */
export interface BatchLine {
  customId: string
  body: Record<string, unknown>
}

/** What is wrong with the input, as the batch shows it. */
export type BatchProblem = { code: string; line: number | null; message: string; param: string | null }

/** Problems that a batch lists. */
const MAX_PROBLEMS = 50
const REQUIRED = ['custom_id', 'method', 'url', 'body'] as const

export interface BatchInput {
  endpoint: string
  /** Bounds of a batch. */
  maxItems: number
  maxLineBytes: number
}

/** The requests in a file: their number, their model, and what is wrong with them. */
export async function checkInput(
  engine: Engine,
  chunks: Iterable<Buffer>,
  input: BatchInput,
): Promise<{ total: number; problems: BatchProblem[]; model: string | null }> {
  const check = new InputCheck(engine, input)
  const pacer = new Pacer()
  for (const text of engine.linesOf(chunks, input.maxLineBytes)) {
    if (pacer.isDue) await pacer.pause()
    check.read(text)
  }
  return check.end()
}

/** The requests in a file whose input was checked. They are read one after the other. */
export function* requestsIn(engine: Engine, chunks: Iterable<Buffer>, input: BatchInput): Iterable<BatchLine> {
  const check = new InputCheck(engine, input)
  for (const text of engine.linesOf(chunks, input.maxLineBytes)) {
    const line = check.read(text)
    if (line !== null) yield line
  }
}

class InputCheck {
  readonly #engine: Engine
  readonly #input: BatchInput
  readonly #problems: BatchProblem[] = []
  readonly #seen = new Set<string>()
  #model: string | null = null
  #lines = 0
  #total = 0

  constructor(engine: Engine, input: BatchInput) {
    this.#engine = engine
    this.#input = input
  }

  /** Null: the line has no request. */
  read(text: string | null): BatchLine | null {
    const number = ++this.#lines
    if (number > this.#input.maxItems) return null
    if (text === null) {
      const message = `This line has more than ${this.#input.maxLineBytes} bytes.`
      return this.#report('invalid_json_line', number, message)
    }
    const { json } = this.#engine
    const given = parsed(text)
    if (given === null) return this.#report('invalid_json_line', number, 'This line is not parseable as valid JSON.')
    const absent = REQUIRED.find(name => given[name] == null)
    if (absent !== undefined)
      return this.#report('missing_required_parameter', number, `Missing required parameter: '${absent}'.`, absent)
    const customId = String(given.custom_id).slice(0, 512)
    const body = json.objectOf(given.body)
    this.#check(given, customId, body, number)
    this.#seen.add(customId)
    this.#total += 1
    return { customId, body }
  }

  end(): { total: number; problems: BatchProblem[]; model: string | null } {
    const { maxItems } = this.#input
    const problems: BatchProblem[] = []
    if (this.#lines === 0)
      problems.push(problem('empty_file', 'The input file is empty. Please ensure that the batch is not empty.'))
    if (this.#lines > maxItems) {
      const message = `The input file has ${this.#lines} requests; at most ${maxItems} are supported.`
      problems.push(problem('too_many_requests', message))
    }
    problems.push(...this.#problems)
    return { total: this.#total, problems: problems.slice(0, MAX_PROBLEMS), model: this.#model }
  }

  #check(given: Record<string, unknown>, customId: string, body: Record<string, unknown>, number: number): void {
    const { endpoint } = this.#input
    if (this.#seen.has(customId)) {
      const message = `The custom_id '${customId.slice(0, 64)}' for this request is not unique.`
      this.#report('duplicate_custom_id', number, message, 'custom_id')
    }
    if (given.method !== 'POST')
      this.#report('invalid_method', number, 'The method of a request must be POST.', 'method')
    if (given.url !== endpoint) {
      const message = `The URL provided for this request does not match the batch endpoint: ${endpoint}.`
      this.#report('invalid_url', number, message, 'url')
    }
    const named = this.#engine.json.textOf(body.model)
    if (named !== undefined && this.#model !== null && named !== this.#model) {
      const message = `The model '${named.slice(0, 64)}' differs from that of other requests.`
      this.#report('mismatched_model', number, message, 'body.model')
    }
    this.#model ??= named ?? null
  }

  #report(code: string, line: number, message: string, param: string | null = null): null {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ code, line, message, param })
    return null
  }
}

function problem(code: string, message: string): BatchProblem {
  return { code, line: null, message, param: null }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** Reads the lines of a batch's input file. */
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

export function readLines(
  { json }: Engine,
  content: Buffer,
  { endpoint, maxLines }: { endpoint: string; maxLines: number },
): { lines: BatchLine[]; problems: BatchProblem[]; model: string | null } {
  const texts = content.toString().split('\n')
  while (texts.at(-1)?.trim() === '') texts.pop()
  const problems: BatchProblem[] = []
  const report = (code: string, line: number | null, message: string, param: string | null = null): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ code, line, message, param })
  }
  if (texts.length === 0)
    report('empty_file', null, 'The input file is empty. Please ensure that the batch is not empty.')
  if (texts.length > maxLines)
    report('too_many_requests', null, `The input file has ${texts.length} requests; at most ${maxLines} are supported.`)
  const lines: BatchLine[] = []
  const seen = new Set<string>()
  let model: string | null = null
  for (const [index, text] of texts.slice(0, maxLines).entries()) {
    const number = index + 1
    const given = parsed(text)
    if (given === null) {
      report('invalid_json_line', number, 'This line is not parseable as valid JSON.')
      continue
    }
    const absent = REQUIRED.find(name => given[name] == null)
    if (absent !== undefined) {
      report('missing_required_parameter', number, `Missing required parameter: '${absent}'.`, absent)
      continue
    }
    const customId = String(given.custom_id).slice(0, 512)
    const body = json.objectOf(given.body)
    if (seen.has(customId))
      report(
        'duplicate_custom_id',
        number,
        `The custom_id '${customId.slice(0, 64)}' for this request is not unique.`,
        'custom_id',
      )
    if (given.method !== 'POST') report('invalid_method', number, 'The method of a request must be POST.', 'method')
    if (given.url !== endpoint)
      report(
        'invalid_url',
        number,
        `The URL provided for this request does not match the batch endpoint: ${endpoint}.`,
        'url',
      )
    const named = json.textOf(body.model)
    if (named !== undefined && model !== null && named !== model)
      report(
        'mismatched_model',
        number,
        `The model '${named.slice(0, 64)}' differs from that of other requests.`,
        'body.model',
      )
    model ??= named ?? null
    seen.add(customId)
    lines.push({ customId, body })
  }
  return { lines, problems, model }
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

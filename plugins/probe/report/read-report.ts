/** Reads report files. */
import { readFile, stat } from 'node:fs/promises'
import { isRecord } from 'svc/toolkit'
import type { Report } from './report.ts'

const MAX_BYTES = 32 * 1024 * 1024

/** A report, or a sentence that says what is wrong with the file. */
export async function readReport(path: string): Promise<Report | string> {
  let text: string
  try {
    const { size } = await stat(path)
    if (size > MAX_BYTES) return `${path} is larger than ${MAX_BYTES} bytes`
    text = await readFile(path, 'utf8')
  } catch (error) {
    return `cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? String(error)})`
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return `${path} is not JSON`
  }
  if (!isRecord(value) || value.svc_probe !== 1) return `${path} is not a report of this version (svc_probe: 1)`
  return isWhole(value) ? (value as unknown as Report) : `${path} is not a complete report`
}

/** Whether the members are there that comparisons read. */
function isWhole({ gateway, results, run, summary, options, upstream }: Record<string, unknown>): boolean {
  return (
    isRecord(gateway) &&
    isRecord(gateway.seen) &&
    typeof gateway.url === 'string' &&
    Array.isArray(gateway.configuration) &&
    isRecord(run) &&
    typeof run.started_at === 'string' &&
    Array.isArray(run.arguments) &&
    isRecord(summary) &&
    isRecord(options) &&
    isRecord(upstream) &&
    Array.isArray(results) &&
    results.every(
      one =>
        isRecord(one) &&
        ['id', 'title', 'group', 'protocol', 'verdict', 'summary'].every(key => typeof one[key] === 'string') &&
        isRecord(one.values) &&
        Array.isArray(one.exchanges),
    )
  )
}

/** Suites of other projects: their requests and what they expect, as data, and the table of what was replayed. */
import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = 'test/suites'

/** The members that every file has; the lists of cases are by kind. */
export interface SuiteFile {
  /** With its version. */
  project: string
  repository: string
  commit: string
}

export interface SuiteRow {
  project: string
  /** Cases by kind, such as `http`. */
  counts: Record<string, number>
}

export function readSuite<Suite extends SuiteFile>(folder: string): Suite {
  return JSON.parse(readFileSync(`${FOLDER}/${folder}/cases.json`, 'utf8')) as Suite
}

/** What the files have, by project. */
export function suiteRows(): SuiteRow[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => {
      const { project, ...others } = readSuite(name)
      const counts = Object.entries(others).flatMap(([kind, cases]) =>
        Array.isArray(cases) ? [[kind, cases.length]] : [],
      )
      return { project, counts: Object.fromEntries(counts) as Record<string, number> }
    })
}

/** A row of the table in `docs/drop-in.md`, as the run prints it. */
export function rowText({ project, counts }: SuiteRow): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const kinds = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`)
  return `| ${project} | ${total} cases: ${kinds.join(', ')} |`
}

/** Synchronizes the mocks with their sources: adds new mocks, updates changed ones and removes missing ones. */
import { StateUnavailable } from 'svc/plugin'
import type { Issue } from '../document/issue.ts'
import type { MockStore } from '../management/mock-store.ts'
import type { Registry } from '../management/registry.ts'
import type { SourceEntry, SourceError, Sources } from './sources.ts'

export interface SyncResult {
  added: string[]
  updated: string[]
  removed: string[]
  unchanged: string[]
  errors: SourceError[]
}

export async function syncSources(registry: Registry, mocks: MockStore, sources: Sources): Promise<SyncResult> {
  const summary: SyncResult = { added: [], updated: [], removed: [], unchanged: [], errors: [...sources.errors] }
  for (const entry of sources.entries) {
    const result = await registry.inOrder(entry.name, () => syncEntry(registry, mocks, entry))
    if ('errors' in result) summary.errors.push(...result.errors)
    else summary[result.kind].push(entry.name)
  }
  const names = new Set(sources.entries.map(({ name }) => name))
  for (const mock of registry.list()) {
    if (!mock.isManaged || names.has(mock.name)) continue
    await mocks.removeFiles(mock.name)
    summary.removed.push(mock.name)
  }
  return summary
}

type Outcome = { kind: 'added' | 'updated' | 'unchanged' } | { errors: SourceError[] }

async function syncEntry(registry: Registry, mocks: MockStore, entry: SourceEntry): Promise<Outcome> {
  const { name, source, file, digest, enabled } = entry
  const present = registry.get(name)
  const known = registry.files.get(name)
  const stored = await mocks.record(name)
  if ((stored?.source ?? present?.source) === 'api')
    return source === 'builtin'
      ? { kind: 'unchanged' }
      : failure(entry, `the name "${name}" is already used by an uploaded mock`)
  if (present && known?.digest === digest) return { kind: 'unchanged' }
  const { report, kind, served, format } = await registry.check(
    { text: entry.text, given: entry.given, message: null },
    null,
    {
      isBrief: true,
    },
  )
  if (report.errors.length > 0 || served === null) return documentFailure(entry, report.errors)
  const next = { text: entry.text, kind, format, served, given: entry.given, message: null, rolledBackFrom: null }
  const files = { file, digest }
  try {
    if (stored?.digest === digest) await mocks.adopt(name, stored, files, next)
    else if (stored?.source === source && (known === undefined || known.file === file))
      await mocks.deploy(name, next, record => ({ ...record, digest, enabled }), files)
    else await mocks.create({ name, source, enabled, files }, next)
  } catch (error) {
    // The host registers the plugin again when the store is back.
    if (error instanceof StateUnavailable) throw error
    return failure(entry, (error as { body?: { message?: string } }).body?.message ?? (error as Error).message)
  }
  return { kind: present ? 'updated' : 'added' }
}

/** Maximum number of errors reported per document; further errors are counted. */
const MAX_ERRORS = 20

const REFERENCE_REMEDY = 'correct the reference; files can be in the folder of the document and below'

/** Reports all errors of a document at once, references to files that can't be read first. */
function documentFailure(entry: SourceEntry, issues: readonly Issue[]): Outcome {
  if (entry.problems.length > 0)
    return { errors: entry.problems.map(problem => errorOf(entry, problem, REFERENCE_REMEDY)) }
  if (issues.length === 0) return failure(entry, "the document can't be served")
  const errors = issues.slice(0, MAX_ERRORS).map(found => errorOf(entry, describeIssue(found), 'correct the document'))
  return {
    errors:
      issues.length > MAX_ERRORS
        ? [...errors, errorOf(entry, `and ${issues.length - MAX_ERRORS} more errors`)]
        : errors,
  }
}

function describeIssue({ code, at, message, line }: Issue): string {
  return [code, at === null ? '' : ` at ${at}`, `: ${message}`, line === undefined ? '' : ` (line ${line})`].join('')
}

function failure(entry: SourceEntry, message: string): Outcome {
  return { errors: [errorOf(entry, message)] }
}

function errorOf(entry: SourceEntry, message: string, remedy?: string): SourceError {
  const place =
    entry.at !== null ? { at: entry.at } : { ...(entry.file === null ? {} : { file: entry.file }), at: null }
  return { ...place, message, ...(remedy === undefined ? {} : { remedy }) }
}

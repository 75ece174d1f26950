/** Brings the registry into line with the sources: what is new is deployed, what is gone removed, the rest untouched. */
import type { Issue } from '../check/issue.ts'
import type { Mock } from '../management/mock.ts'
import type { Registry } from '../management/registry.ts'
import type { SourceEntry, SourceError, Sources } from './sources.ts'

export interface SyncResult {
  added: string[]
  updated: string[]
  removed: string[]
  unchanged: string[]
  errors: SourceError[]
}

/** `forget` is called for mocks that are gone, to drop what sessions remember of them. */
export async function syncSources(
  registry: Registry,
  sources: Sources,
  forget: (name: string) => Promise<void>,
): Promise<SyncResult> {
  const result: SyncResult = { added: [], updated: [], removed: [], unchanged: [], errors: [...sources.errors] }
  for (const entry of sources.entries) {
    const outcome = await registry.inOrder(entry.name, () => syncEntry(registry, entry))
    if ('error' in outcome) result.errors.push(outcome.error)
    else result[outcome.kind].push(entry.name)
  }
  const wanted = new Set(sources.entries.map(({ name }) => name))
  for (const mock of registry.list()) {
    if (!mock.isManaged || wanted.has(mock.name)) continue
    registry.remove(mock.name)
    await forget(mock.name)
    result.removed.push(mock.name)
  }
  return result
}

type Outcome = { kind: 'added' | 'updated' | 'unchanged' } | { error: SourceError }

async function syncEntry(registry: Registry, entry: SourceEntry): Promise<Outcome> {
  const present = registry.get(entry.name)
  if (present && !present.isManaged)
    return entry.source === 'builtin'
      ? { kind: 'unchanged' }
      : failure(entry, `the name "${entry.name}" is taken by a mock that was uploaded`)
  const isSame = present?.source === entry.source && present.file === entry.file
  if (present && isSame && registry.digests.get(entry.name) === entry.digest) return { kind: 'unchanged' }
  const { report, json, format } = await registry.check({ text: entry.text, given: entry.given, message: null }, null, {
    isBrief: true,
  })
  const first = report.errors[0]
  if (first || json === null) return failure(entry, describeIssue(first), first)
  const next = { text: entry.text, format, json, given: entry.given, message: null, rolledBackFrom: null }
  try {
    const mock = present && isSame ? redeploy(registry, present, next) : registry.add(entry, next)
    mock.enabled = entry.enabled
  } catch (error) {
    return failure(entry, (error as { body?: { message?: string } }).body?.message ?? (error as Error).message)
  }
  registry.digests.set(entry.name, entry.digest)
  return { kind: present ? 'updated' : 'added' }
}

function redeploy(registry: Registry, mock: Mock, next: Parameters<Registry['deploy']>[1]): Mock {
  registry.deploy(mock, next)
  return mock
}

function describeIssue(found: Issue | undefined): string {
  if (!found) return "the document can't be served"
  return [found.code, found.at === null ? '' : ` at ${found.at}`, `: ${found.message}`].join('')
}

function failure(entry: SourceEntry, message: string, found?: Issue): Outcome {
  const line = found?.line === undefined ? '' : ` (line ${found.line})`
  if (entry.at !== null) return { error: { at: entry.at, message: message + line } }
  return { error: { ...(entry.file === null ? {} : { file: entry.file }), at: null, message: message + line } }
}

/** Stub mappings of WireMock 3 (JSON) as rules. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { Members } from '../source/members.ts'
import { priorities } from '../stub/priorities.ts'
import { Stub } from '../stub/stub.ts'
import { UpstreamList } from '../stub/upstreams.ts'
import type { Conversion, ConvertedRules, ImportFile, Importing, ImportKind, ItemPath, WrittenFile } from '../types.ts'
import { readRequest } from './conditions.ts'
import { readResponse } from './response.ts'
import { readWebhooks } from './webhooks.ts'

/** Of stubs without one. 1 is the highest. */
const DEFAULT_PRIORITY = 5
const MAX_STATE = 64

export const wiremockKind: ImportKind = {
  id: 'wiremock',
  recognizes: ({ document }) =>
    isMapping(document) ||
    (isRecord(document) && Array.isArray(document.mappings) && document.mappings.some(isMapping)),
  convert,
}

function isMapping(value: unknown): value is JsonObject {
  return (
    isRecord(value) &&
    isRecord(value.request) &&
    (isRecord(value.response) || value.response === undefined) &&
    !('httpRequest' in value)
  )
}

interface Entry {
  value: JsonObject
  path: ItemPath
}

async function convert(files: readonly ImportFile[], importing: Importing): Promise<Conversion> {
  const entries = files.map(file => ({ file, entries: entriesOf(file, importing) }))
  const all = entries.flatMap(({ entries: own }) => own.filter(entry => entry !== null))
  const priorityOf = priorities(
    all.map(({ value }) => -(typeof value.priority === 'number' ? value.priority : DEFAULT_PRIORITY)),
    -DEFAULT_PRIORITY,
  )
  const upstreams = new UpstreamList(importing)
  const rules: ConvertedRules[] = []
  const written: WrittenFile[] = []
  const notify = new Set<string>()
  let [disabled, skipped] = [0, 0]
  for (const { file, entries: own } of entries) {
    const converted: JsonObject[] = []
    for (const [index, entry] of own.entries()) {
      if (entry === null) {
        skipped++
        continue
      }
      const { value, path } = entry
      const stub = new Stub(
        importing,
        file,
        path,
        importing.ruleName(value.name, value.id, value.uuid, `${file.stem}-${index + 1}`),
      )
      const { rule, hosts } = await readMapping(new Members(value, path), stub, upstreams, priorityOf)
      if (rule === null) skipped++
      else {
        converted.push(rule)
        written.push(...stub.files)
        for (const host of hosts) notify.add(host)
        if (stub.isDisabled) disabled++
      }
    }
    // Of stubs with the same priority, the one that was loaded last answers.
    rules.unshift({ file, rules: converted.toReversed() })
  }
  const found = entries.reduce((sum, { entries: own }) => sum + own.length, 0)
  return { found, disabled, skipped, rules, proxy: upstreams.items, notify: [...notify], files: written }
}

/** Null for what is not a mapping. */
function entriesOf(file: ImportFile, importing: Importing): (Entry | null)[] {
  const { document } = file
  if (isMapping(document)) return [{ value: document, path: [] }]
  const { mappings, meta: _meta, ...others } = document as unknown as JsonObject
  for (const name of Object.keys(others))
    if (name !== 'importOptions') importing.find(file, [name], 'lost', 'svc import does not know this member')
  return (mappings as Json[]).map((value, index): Entry | null => {
    if (isMapping(value)) return { value, path: ['mappings', index] }
    importing.find(file, ['mappings', index], 'skipped', 'expected an object with request and response')
    return null
  })
}

async function readMapping(
  mapping: Members,
  stub: Stub,
  upstreams: UpstreamList,
  priorityOf: (priority: number) => number,
): Promise<{ rule: JsonObject | null; hosts: string[] }> {
  mapping.ignore('id', 'uuid', 'name', 'persistent', 'metadata', 'insertionIndex')
  readRequest(mapping.object('request')!, stub)
  const response = mapping.object('response') ?? new Members({}, mapping.at('response'))
  const step = await readResponse(response, stub, upstreams)
  const scenario = mapping.text('scenarioName')
  const [required, next] = [mapping.text('requiredScenarioState'), mapping.text('newScenarioState')]
  if (scenario !== undefined) {
    if (scenario.length > MAX_STATE || (required ?? '').length > MAX_STATE || (next ?? '').length > MAX_STATE)
      stub.disabled(mapping.at('scenarioName'), `names and states of scenarios have at most ${MAX_STATE} characters`)
    else {
      if (required !== undefined) stub.and({ scenario: { [scenario]: required } })
      if (next !== undefined) step.scenario = { [scenario]: next }
    }
  }
  const { notify, hosts } = readWebhooks(mapping, stub)
  if (notify.length > 0) step.notify = notify
  const priority = mapping.number('priority')
  stub.others(mapping, 'lost')
  const rule = stub.rule(step, priority === undefined ? {} : { priority: priorityOf(-priority) })
  return { rule, hosts }
}

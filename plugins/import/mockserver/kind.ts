/** Expectations of MockServer (JSON) as rules. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { Members } from '../source/members.ts'
import { checkedRequest, MAX_NOTIFY, notifyHost } from '../stub/notify.ts'
import { priorities } from '../stub/priorities.ts'
import { Stub, textOf } from '../stub/stub.ts'
import { UpstreamList } from '../stub/upstreams.ts'
import type { Conversion, ConvertedRules, ImportFile, Importing, ImportKind, ItemPath, WrittenFile } from '../types.ts'
import { ACTIONS, readAction } from './actions.ts'
import { readRequest } from './conditions.ts'
import { lineList } from './response.ts'
import { readRepetitions } from './times.ts'

const MAX_STATE = 64

export const mockserverKind: ImportKind = {
  id: 'mockserver',
  recognizes: ({ document }) => [document].flat().some(isExpectation),
  convert,
}

function isExpectation(value: unknown): value is JsonObject {
  return isRecord(value) && isRecord(value.httpRequest) && Object.keys(value).some(key => ACTIONS.includes(key))
}

async function convert(files: readonly ImportFile[], importing: Importing): Promise<Conversion> {
  const entries = files.flatMap(file =>
    [file.document].flat().map((value, index): { file: ImportFile; value: Json; path: ItemPath } => ({
      file,
      value,
      path: Array.isArray(file.document) ? [index] : [],
    })),
  )
  const priorityOf = priorities(
    entries.map(({ value }) => (isRecord(value) && typeof value.priority === 'number' ? value.priority : 0)),
    0,
  )
  const lastOf = new Map(
    entries.flatMap(({ value }, index) =>
      isRecord(value) && typeof value.id === 'string' ? [[value.id, index] as const] : [],
    ),
  )
  const upstreams = new UpstreamList(importing)
  const rules = new Map<ImportFile, JsonObject[]>(files.map(file => [file, []]))
  const written: WrittenFile[] = []
  const notify = new Set<string>()
  let [disabled, skipped] = [0, 0]
  for (const [index, { file, value, path }] of entries.entries()) {
    if (!isExpectation(value)) {
      importing.find(file, path, 'skipped', 'expected an object with httpRequest and an action')
      skipped++
      continue
    }
    if (typeof value.id === 'string' && lastOf.get(value.id) !== index) {
      importing.find(
        file,
        [...path, 'id'],
        'skipped',
        'a later expectation has this id and replaces this one, as in MockServer 9; before 9 the first one counts',
      )
      skipped++
      continue
    }
    const stub = new Stub(importing, file, path, importing.ruleName(value.id, `${file.stem}-${index + 1}`))
    const made = await readExpectation(new Members(value, path), stub, { upstreams, priorityOf, notify })
    if (made === null) skipped++
    else {
      rules.get(file)!.push(...made)
      written.push(...stub.files)
      if (stub.isDisabled) disabled++
    }
  }
  const converted: ConvertedRules[] = [...rules].map(([file, own]) => ({ file, rules: own }))
  return {
    found: entries.length,
    disabled,
    skipped,
    rules: converted,
    proxy: upstreams.items,
    notify: [...notify],
    files: written,
  }
}

interface Shared {
  upstreams: UpstreamList
  priorityOf(priority: number): number
  notify: Set<string>
}

/** The rules of an expectation; null if it cannot be written. */
async function readExpectation(
  expectation: Members,
  stub: Stub,
  { upstreams, priorityOf, notify }: Shared,
): Promise<JsonObject[] | null> {
  expectation.ignore('id', 'timestamp')
  if (expectation.take('namespace') !== undefined)
    stub.disabled(expectation.at('namespace'), 'the header that names a namespace is a setting of MockServer')
  readRequest(expectation.object('httpRequest')!, stub)
  const { then, members = {}, samples = [] } = await readAction(expectation, stub, upstreams)
  const repetitions = readRepetitions(expectation, stub)
  const companions = readCompanions(expectation, stub, notify)
  const priority = expectation.number('priority')
  stub.others(expectation, 'lost')
  const ranked: JsonObject = priority === undefined ? {} : { priority: priorityOf(priority) }
  const with_ = (step: Json): Json =>
    Array.isArray(step)
      ? step.map(one => ({ ...(one as JsonObject), ...companions }))
      : { ...(step as JsonObject), ...companions }
  const made = [
    ...samples.map(({ then: step, sample }) =>
      stub.rule(with_(step), { ...ranked, sample }, { name: stub.importing.ruleName(`${stub.name}-sample`) }),
    ),
    stub.rule(with_(then), { ...ranked, ...repetitions, ...members }),
  ]
  if (samples.length > 0 && Object.keys(repetitions).length > 0)
    stub.changed(expectation.path, 'times and timeToLive are those of the last response alone')
  return made.includes(null) ? null : (made as JsonObject[])
}

/** Scenario states, and requests that are sent afterwards. */
function readCompanions(expectation: Members, stub: Stub, notify: Set<string>): JsonObject {
  const companions: JsonObject = {}
  const scenario = expectation.text('scenarioName')
  const [state, next] = [expectation.text('scenarioState'), expectation.text('newScenarioState')]
  if (scenario !== undefined) {
    if ([scenario, state ?? '', next ?? ''].some(text => text.length > MAX_STATE))
      stub.disabled(
        expectation.at('scenarioName'),
        `names and states of scenarios have at most ${MAX_STATE} characters`,
      )
    else {
      if (state !== undefined) stub.and({ scenario: { [scenario]: state } })
      if (next !== undefined) companions.scenario = { [scenario]: next }
    }
  }
  const requests: Json[] = []
  const given = expectation.take('afterActions') ?? expectation.take('afterAction')
  for (const [index, action] of (given === undefined ? [] : [given].flat()).entries()) {
    const path: ItemPath = [...expectation.at('afterActions'), index]
    const request =
      isRecord(action) && isRecord(action.httpRequest)
        ? new Members(action.httpRequest as JsonObject, [...path, 'httpRequest'])
        : null
    const read = request === null ? null : readAfter(request, stub)
    if (read === null) stub.lost(path, 'only requests with a host have a counterpart')
    else if (requests.length === MAX_NOTIFY) stub.lost(path, `at most ${MAX_NOTIFY} requests are sent`)
    else {
      requests.push(read.request)
      notify.add(read.host)
    }
  }
  if (requests.length > 0) companions.notify = requests
  return companions
}

function readAfter(request: Members, stub: Stub): { request: Json; host: string } | null {
  const lines = lineList(request.take('headers'), request.at('headers'))
  const address = request.object('socketAddress')
  const named = lines.find(([name]) => name.toLowerCase() === 'host')?.[1]
  const port = address?.number('port')
  const host = address === undefined ? named : `${address.text('host') ?? ''}${port === undefined ? '' : `:${port}`}`
  if (host === undefined) return null
  const isSecure = request.take('secure') === true || address?.text('scheme') === 'HTTPS'
  const headers = stub.headers(lines.filter(([name]) => name.toLowerCase() !== 'host'))
  const body = request.take('body')
  const path = request.text('path') ?? '/'
  const method = (request.text('method') ?? 'GET').toUpperCase()
  stub.others(request, 'lost')
  // Texts of requests that are sent are always templates.
  if (JSON.stringify([path, headers, body ?? null]).includes('{{')) return null
  const url = `${isSecure ? 'https' : 'http'}://${host}${path}`
  const target = notifyHost(url)
  const checked = checkedRequest(
    {
      method,
      url,
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : textOf(body) }),
    },
    request.path,
    stub,
  )
  return target === null || checked === null ? null : { host: target, request: checked }
}

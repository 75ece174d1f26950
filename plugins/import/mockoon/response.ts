/** A response of a route of Mockoon, as a step of a rule. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { wholeMs } from '../stub/delay.ts'
import { filled } from '../stub/filled.ts'
import { checkedRequest, MAX_NOTIFY, MAX_NOTIFY_DELAY_MS, notifyHost } from '../stub/notify.ts'
import { Members } from '../source/members.ts'
import { textOf, type Stub } from '../stub/stub.ts'
import type { ItemPath } from '../types.ts'
import { mockoonTemplate } from './template.ts'

/** What is the same for all responses of an environment. */
export interface Environment {
  latency: number
  headers: readonly Line[]
  /** Texts of data buckets by id. */
  buckets: ReadonlyMap<string, { value: string; path: ItemPath }>
  /** Requests that are sent after a response, by id. */
  callbacks: ReadonlyMap<string, { value: JsonObject; path: ItemPath }>
  /** Hosts of callbacks. */
  notify: Set<string>
}

type Line = readonly [name: string, value: string, path: ItemPath]

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  htm: 'text/html',
  html: 'text/html',
  js: 'application/javascript',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  xml: 'application/xml',
}
const WITH_TEMPLATES = ['css', 'csv', 'htm', 'html', 'js', 'json', 'txt', 'xml', 'xhtml', 'ts', 'handlebars', 'hbs']

/** Header lines of a list of `{key, value}`. */
export function mockoonLines(list: readonly Json[], path: ItemPath): Line[] {
  return list.flatMap((item, index): Line[] =>
    isRecord(item) && textOf(item.key as Json) !== ''
      ? [[textOf(item.key as Json), textOf(item.value as Json), [...path, index]]]
      : [],
  )
}

/** The step. */
export async function readResponse(response: Members, stub: Stub, environment: Environment): Promise<JsonObject> {
  response.ignore('uuid', 'label', 'default', 'crudKey', 'rules', 'rulesOperator')
  const isPlain = response.take('disableTemplating') === true
  const status = response.number('statusCode') ?? 200
  const isStatus = Number.isInteger(status) && status >= 200 && status <= 599
  if (!isStatus) stub.lost(response.at('statusCode'), 'expected a status from 200 to 599; 200 is sent')
  const latency = environment.latency + (response.number('latency') ?? 0)
  const own = mockoonLines(response.list('headers'), response.at('headers'))
  const content = await readContent(response, stub, { isPlain, environment })
  const lines = merged([...environment.headers, ...content.lines], own).map(
    ([name, value, path]): readonly [Line, boolean] => {
      const converted = filled(value, path, mockoonTemplate, stub)
      return [[name, converted.text, path], converted.isTemplate]
    },
  )
  const headers = stub.headers(lines.map(([line]) => line))
  const type = Object.keys(headers).find(name => name.toLowerCase() === 'content-type')
  // The original adds the charset to every type of a text.
  if (type !== undefined && content.isText && typeof headers[type] === 'string' && !/charset=/i.test(headers[type]))
    headers[type] = `${headers[type]}; charset=utf-8`
  const notify = readCallbacks(response, stub, environment)
  stub.others(response, 'lost')
  return {
    ...(latency > 0 ? { delay: wholeMs(latency, response.at('latency'), stub) } : {}),
    respond: {
      status: content.isMissing ? 404 : isStatus ? status : 200,
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(type === undefined ? { content_type: 'text/html; charset=utf-8' } : {}),
      ...content.body,
      template: content.body.template === true || lines.some(([, isTemplate]) => isTemplate),
    },
    ...(notify.length === 0 ? {} : { notify }),
  }
}

/** The lines of the response replace those of the environment; cookies are added. */
function merged(first: readonly Line[], second: readonly Line[]): Line[] {
  const names = new Set(second.map(([name]) => name.toLowerCase()).filter(name => name !== 'set-cookie'))
  return [...first.filter(([name]) => !names.has(name.toLowerCase())), ...second]
}

interface Content {
  body: JsonObject
  /** It is sent as a text. */
  isText: boolean
  /** The file does not exist, and the response says 404 then. */
  isMissing: boolean
  lines: readonly Line[]
}

async function readContent(
  response: Members,
  stub: Stub,
  { isPlain, environment }: { isPlain: boolean; environment: Environment },
): Promise<Content> {
  const kind = response.text('bodyType') ?? 'INLINE'
  const [inline, file, bucketId] = [
    response.text('body') ?? '',
    response.text('filePath') ?? '',
    response.text('databucketID') ?? '',
  ]
  const isBody = response.take('sendFileAsBody') === true
  const fallsBack = response.take('fallbackTo404') === true
  const text = (value: string, path: ItemPath, isTemplate: boolean): Content => {
    const { text: written, isTemplate: hasReferences } = isTemplate
      ? filled(value, path, mockoonTemplate, stub)
      : { text: value, isTemplate: false }
    return { body: stub.body(written, hasReferences), isText: true, isMissing: false, lines: [] }
  }
  if (kind === 'FILE' && file !== '') {
    const path = response.at('filePath')
    const found = file.includes('{{')
      ? { problem: 'the name of the file is a template' }
      : await stub.importing.readBody(stub.file, file, [stub.file.directory])
    if (!Buffer.isBuffer(found)) {
      if (fallsBack) return { ...text(inline, response.at('body'), !isPlain), isMissing: true }
      stub.lost(path, `${found.problem}; the response has no body`)
      return text('', path, false)
    }
    const ending = /\.([^./]+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
    const name = file.split(/[\\/]/).at(-1)!
    const lines: Line[] = []
    const type = Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined
    if (type !== undefined) lines.push(['Content-Type', type, path])
    if (!isBody) lines.push(['Content-Disposition', `attachment; filename="${encodeURIComponent(name)}"`, path])
    if (!isPlain && WITH_TEMPLATES.includes(ending) && found.includes('{{'))
      return { ...text(found.toString(), path, true), lines }
    const isText = !isPlain && WITH_TEMPLATES.includes(ending)
    return { body: stub.bodyFile(name, found, false), isText, isMissing: false, lines }
  }
  if (kind === 'DATABUCKET' && bucketId !== '') {
    const bucket = environment.buckets.get(bucketId)
    if (bucket === undefined) {
      stub.lost(response.at('databucketID'), 'there is no such data bucket; the response has no body')
      return text('', response.at('databucketID'), false)
    }
    const compact = bucket.value.includes('{{') ? bucket.value : compactJson(bucket.value)
    return text(compact, bucket.path, true)
  }
  return text(inline, response.at('body'), !isPlain)
}

/** Data buckets that are JSON are sent without white space. */
function compactJson(text: string): string {
  try {
    const value = JSON.parse(text) as Json
    return typeof value === 'string' ? value : JSON.stringify(value)
  } catch {
    return text
  }
}

function readCallbacks(response: Members, stub: Stub, { callbacks, notify }: Environment): Json[] {
  const requests: Json[] = []
  for (const [index, invocation] of response.list('callbacks').entries()) {
    const path = [...response.at('callbacks'), index]
    const callback = isRecord(invocation) ? callbacks.get(textOf(invocation.uuid as Json)) : undefined
    if (callback === undefined || requests.length === MAX_NOTIFY) {
      stub.lost(path, callback === undefined ? 'there is no such callback' : `at most ${MAX_NOTIFY} requests are sent`)
      continue
    }
    const given = new Members(callback.value, callback.path)
    given.ignore('uuid', 'id', 'name', 'documentation', 'filePath', 'sendFileAsBody', 'databucketID')
    const url = filled(given.text('uri') ?? '', given.at('uri'), mockoonTemplate, stub).text
    const host = notifyHost(url)
    const isInline = (given.text('bodyType') ?? 'INLINE') === 'INLINE'
    const headers = stub.headers(
      mockoonLines(given.list('headers'), given.at('headers')).map(([name, value, at]) => [
        name,
        filled(value, at, mockoonTemplate, stub).text,
        at,
      ]),
    )
    const body = filled(given.text('body') ?? '', given.at('body'), mockoonTemplate, stub).text
    const method = (given.text('method') ?? 'post').toUpperCase()
    stub.others(given, 'lost')
    if (host === null || !isInline || [url, body].some(text => /\{\{~?[#^/>&]/.test(text))) {
      stub.lost(path, 'only requests to a known host with a text as body have a counterpart')
      continue
    }
    const latency = isRecord(invocation) ? Number(invocation.latency ?? 0) : 0
    const request = checkedRequest(
      {
        method,
        url,
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...(body === '' ? {} : { body }),
        ...(latency > 0 ? { delay: wholeMs(latency, path, stub, MAX_NOTIFY_DELAY_MS) } : {}),
      },
      given.path,
      stub,
    )
    if (request === null) continue
    notify.add(host)
    requests.push(request)
  }
  return requests
}

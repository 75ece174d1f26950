/** HAR files and cassettes of go-vcr as recordings: kinds of `svc import`. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, parseGoDuration, Redactor } from 'svc/toolkit'
import type { Conversion, ImportFile, Importing, ImportKind, ItemPath } from '../../import/types.ts'
import type { Upstream } from '../config/upstream.ts'
import { parseHar, type HarExchange } from '../recordings/har.ts'
import { ResponseCleaner } from '../exchange/response-cleaner.ts'
import { bodyBytes, printRecording, type RecordedResponse, type Recording } from '../recordings/recording.ts'
import { fileNameOf } from '../recordings/file-name.ts'
import { keyOf, mediaType, shapeOf } from '../recordings/request-shape.ts'
import { isSensitiveHeader } from '../redaction.ts'

/** An exchange in the terms of HAR, and where it comes from. */
interface Exchange {
  entry: JsonObject
  file: ImportFile
  path: ItemPath
  startedAt: number
}

export const harKind: ImportKind = {
  id: 'har',
  recognizes: ({ document }) => isRecord(document) && isRecord(document.log) && Array.isArray(document.log.entries),
  convert: (files, importing) => convert(files, importing, harExchanges),
}

export const vcrKind: ImportKind = {
  id: 'go-vcr',
  recognizes: ({ document }) =>
    isRecord(document) && Array.isArray(document.interactions) && (document.version === 1 || document.version === 2),
  convert: (files, importing) => convert(files, importing, vcrExchanges),
}

/** As `proxy[].target`. */
const MAX_TARGET_LENGTH = 2000

type Skip = (path: ItemPath, message: string) => void

async function convert(
  files: readonly ImportFile[],
  importing: Importing,
  read: (file: ImportFile, skip: Skip) => Exchange[],
): Promise<Conversion> {
  let skipped = 0
  const exchanges = files.flatMap(file =>
    read(file, (path, message) => {
      skipped++
      importing.find(file, path, 'skipped', message)
    }),
  )
  const found = exchanges.length + skipped
  const byOrigin = new Map<string, Exchange[]>()
  for (const exchange of exchanges.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const { origin } = new URL(urlOf(exchange.entry))
    byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), exchange])
  }
  const proxy: JsonObject[] = []
  const written: { path: string; content: string }[] = []
  for (const [origin, own] of byOrigin) {
    const isLong = origin.length > MAX_TARGET_LENGTH
    const name = isLong ? undefined : importing.upstreamName(new URL(origin).host)
    if (name === undefined) {
      const problem = isLong ? `the origin has more than ${MAX_TARGET_LENGTH} characters` : 'there are too many origins'
      for (const { file, path } of own) importing.find(file, path, 'skipped', problem)
      skipped += own.length
      continue
    }
    const { recordings, left } = await recordingsOf(own, upstreamOf(name, origin), importing)
    skipped += left
    for (const [file, recording] of recordings)
      written.push({ path: `recordings/${name}/${file}`, content: printRecording(recording) })
    if (recordings.size > 0) proxy.push({ name, target: origin, mode: 'replay' })
  }
  return { found, disabled: 0, skipped, proxy, files: written }
}

/** The recordings by file name: the answers to one key are given in turn. */
async function recordingsOf(
  exchanges: readonly Exchange[],
  upstream: Upstream,
  importing: Importing,
): Promise<{ recordings: Map<string, Recording>; left: number }> {
  const byKey = new Map<string, Recording>()
  let left = 0
  for (const { entry, file, path } of exchanges) {
    let problem = 'it has no response that can be sent'
    const [read]: HarExchange[] = parseHar(JSON.stringify({ log: { entries: [entry] } }), upstream, message => {
      problem = message.replace(/^log\.entries\[0\]\./, '')
    })
    if (read === undefined) {
      left++
      importing.find(file, path, 'skipped', problem)
      continue
    }
    const response = await withoutSecrets(read.response, upstream, secretsOf(entry, upstream))
    const { key } = keyOf(upstream, read.request)
    const known = byKey.get(key)
    if (known === undefined) byKey.set(key, { version: 1, request: read.request, responses: [response] })
    else known.responses.push(response)
  }
  const recordings = new Map<string, Recording>()
  for (const [key, recording] of byKey)
    recordings.set(
      fileNameOf(recording.request, key, name => recordings.has(name)),
      recording,
    )
  return { recordings, left }
}

/** The response as the proxy would have recorded it. `secrets`: what the upstream may repeat of the request. */
async function withoutSecrets(
  response: RecordedResponse,
  upstream: Upstream,
  secrets: readonly string[],
): Promise<RecordedResponse> {
  const cleaner = new ResponseCleaner(upstream, secrets)
  const { body: _body, base64: _base64, json: _json, ...rest } = response
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(one => cleaner.header(name, one)) : cleaner.header(name, value),
    ]),
  )
  const type = mediaType([headers['content-type'] ?? ''].flat()[0] ?? '')
  const bytes = bodyBytes(response)
  return { ...rest, headers, ...(bytes.length === 0 ? {} : await cleaner.body(bytes, type)) }
}

/** The secrets of a request, which an upstream may repeat: in its fields, its query and its body. */
function secretsOf({ request }: JsonObject, upstream: Upstream): string[] {
  if (!isRecord(request)) return []
  const lines = (Array.isArray(request.headers) ? (request.headers as Json[]) : []).flatMap(
    (line): [string, string][] => (isRecord(line) ? [[String(line.name).toLowerCase(), String(line.value)]] : []),
  )
  const { pathname, search } = new URL(String(request.url))
  const { postData } = request
  const secrets: string[] = lines
    .filter(([name, value]) => isSensitiveHeader(name, value, upstream.redact))
    .map(([, value]) => value)
  shapeOf(
    upstream,
    {
      method: String(request.method),
      path: pathname,
      query: search.slice(1),
      header: name => lines.find(([one]) => one === name)?.[1],
      body: Buffer.from(isRecord(postData) && typeof postData.text === 'string' ? postData.text : ''),
    },
    new Redactor({ onSecret: secret => void secrets.push(secret) }),
  )
  return secrets
}

/** An upstream with the defaults of the section: what is redacted, and the keys, are those of the proxy. */
function upstreamOf(name: string, origin: string): Upstream {
  const nothing = { query: new Set<string>(), headers: new Set<string>(), json: [] }
  return {
    name,
    target: new URL(origin),
    mode: 'replay',
    folder: '',
    timing: 0,
    onMiss: 'error',
    matchHeaders: [],
    ignore: nothing,
    redact: nothing,
    setHeaders: [],
    timeoutMs: 60_000,
    isLlm: false,
    ca: null,
  }
}

function urlOf(entry: JsonObject): string {
  const { request } = entry
  return isRecord(request) ? String(request.url) : ''
}

function harExchanges(file: ImportFile, skip: Skip): Exchange[] {
  const { log } = file.document as unknown as { log: { entries: Json[] } }
  return log.entries.flatMap((entry, index): Exchange[] => {
    const path = ['log', 'entries', index]
    const problem = problemOf(entry)
    if (problem !== null) {
      skip(path, problem)
      return []
    }
    const given = entry as JsonObject
    const startedAt = Date.parse(String(given.startedDateTime))
    return [{ entry: given, file, path, startedAt: Number.isNaN(startedAt) ? 0 : startedAt }]
  })
}

function problemOf(entry: Json): string | null {
  if (!isRecord(entry) || !isRecord(entry.request)) return 'expected an object with request and response'
  const { url } = entry.request
  if (entry._webSocketMessages !== undefined || entry._resourceType === 'websocket' || /^wss?:/i.test(String(url)))
    return 'WebSockets are not recorded'
  if (typeof url !== 'string' || !/^https?:/i.test(url) || !URL.canParse(url)) return 'expected a URL of HTTP'
  if (!isRecord(entry.response) || entry.response.status === 0) return 'the entry has no response'
  return null
}

function vcrExchanges(file: ImportFile, skip: Skip): Exchange[] {
  const { interactions } = file.document as unknown as { interactions: Json[] }
  return interactions.flatMap((interaction, index): Exchange[] => {
    const path = ['interactions', index]
    const entry = isRecord(interaction) ? vcrEntry(interaction as JsonObject) : null
    const problem = entry === null ? 'expected an object with request and response' : problemOf(entry)
    if (entry === null || problem !== null) {
      skip(path, problem!)
      return []
    }
    return [{ entry, file, path, startedAt: index }]
  })
}

function vcrEntry({ request, response }: JsonObject): JsonObject | null {
  if (!isRecord(request) || !isRecord(response)) return null
  const asked = headerList(request.headers as Json)
  const answered = headerList(response.headers as Json)
  const code = response.code ?? Number(/^\d{3}/.exec(String(response.status))?.[0] ?? 0)
  const waited = typeof response.duration === 'string' ? (parseGoDuration(response.duration) ?? 0) : 0
  const type = asked.find(({ name }) => name.toLowerCase() === 'content-type')?.value
  const body = typeof request.body === 'string' ? request.body : ''
  return {
    request: {
      method: typeof request.method === 'string' && request.method !== '' ? request.method : 'GET',
      url: (request.url ?? '') as Json,
      headers: asked,
      ...(body === '' ? {} : { postData: { text: body, ...(type === undefined ? {} : { mimeType: type }) } }),
    },
    response: {
      status: code as Json,
      headers: answered,
      content: { text: typeof response.body === 'string' ? response.body : '' },
    },
    timings: { wait: waited },
  }
}

function headerList(headers: Json | undefined): { name: string; value: string }[] {
  if (!isRecord(headers)) return []
  return Object.entries(headers as JsonObject).flatMap(([name, values]) =>
    [values].flat().map(value => ({ name, value: String(value) })),
  )
}

/** Webhooks of a stub of WireMock, as `notify`. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { Members } from '../source/members.ts'
import { headerLines, type Stub } from '../stub/stub.ts'
import { wholeMs } from '../stub/delay.ts'
import { filled } from '../stub/filled.ts'
import { checkedRequest, MAX_NOTIFY, MAX_NOTIFY_DELAY_MS, notifyHost } from '../stub/notify.ts'
import { wiremockTemplate } from './template.ts'

/** The requests, and their hosts. */
export function readWebhooks(mapping: Members, stub: Stub): { notify: Json[]; hosts: string[] } {
  const notify: Json[] = []
  const hosts: string[] = []
  const seen = new Set<string>()
  for (const key of ['serveEventListeners', 'postServeActions'] as const) {
    const given = mapping.take(key)
    const entries: [string | number, Json][] = Array.isArray(given)
      ? [...given.entries()]
      : isRecord(given)
        ? Object.entries(given as JsonObject).map(([name, parameters]) => [name, { name, parameters }])
        : []
    for (const [at, entry] of entries) {
      const path = [...mapping.at(key), at]
      if (!isRecord(entry) || entry.name !== 'webhook') {
        stub.lost(path, 'only actions with the name webhook have a counterpart')
        continue
      }
      // Both lists name the same actions in files that WireMock has saved.
      const text = JSON.stringify(entry)
      if (seen.has(text)) continue
      seen.add(text)
      const parameters = new Members((isRecord(entry.parameters) ? entry.parameters : {}) as JsonObject, [
        ...path,
        'parameters',
      ])
      const read = readWebhook(parameters, stub)
      if (notify.length === MAX_NOTIFY) stub.lost(path, `at most ${MAX_NOTIFY} requests are sent`)
      else if (read !== null) {
        notify.push(read.request)
        hosts.push(read.host)
      }
    }
  }
  return { notify, hosts }
}

function readWebhook(parameters: Members, stub: Stub): { request: Json; host: string } | null {
  const translate = wiremockTemplate({}, 'originalRequest')
  const text = (value: string, name: string): string => filled(value, parameters.at(name), translate, stub).text
  const url = parameters.text('url')
  const host = url === undefined ? null : notifyHost(url)
  if (url === undefined || host === null) {
    stub.lost(parameters.at('url'), 'expected the URL of an HTTP server whose host is known')
    return null
  }
  const headers = stub.headers(
    headerLines(parameters.record('headers'), parameters.at('headers')).map(([name, value, path]) => [
      name,
      text(value, 'headers'),
      path,
    ]),
  )
  const body = parameters.text('body')
  if (parameters.take('base64Body') !== undefined)
    stub.lost(parameters.at('base64Body'), 'bodies of requests that are sent are texts')
  const delay = parameters.object('delay')
  const ms = delay?.number('milliseconds')
  if (delay !== undefined && ms === undefined) stub.lost(delay.path, 'only a fixed delay has a counterpart')
  const method = (parameters.text('method') ?? 'POST').toUpperCase()
  stub.others(parameters, 'lost')
  // Texts of requests that are sent are always templates: a block was found above.
  if ([url, body ?? '', ...Object.values(headers).flat()].some(one => /\{\{~?[#^/>&]/.test(one))) return null
  const request = checkedRequest(
    {
      method,
      url: text(url, 'url'),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(body === undefined ? {} : { body: text(body, 'body') }),
      ...(delay === undefined || ms === undefined
        ? {}
        : { delay: wholeMs(ms, delay.at('milliseconds'), stub, MAX_NOTIFY_DELAY_MS) }),
    },
    parameters.path,
    stub,
  )
  return request === null ? null : { request, host }
}

/** Postman collection 2.1.0 (schema.getpostman.com/json/collection/v2.1.0). */
import { decodeForm, type Entry, isRedirect } from '../entries.ts'
import type { Format } from '../format.ts'

export const postman: Format = {
  id: 'postman',
  title: 'Postman collection v2.1',
  description: 'A collection with a folder per category and the variable base_url, for Postman and compatible tools.',
  file: 'postman.json',
  mediaType: 'application/json',
  filename: 'svc-postman.json',
  write: ({ baseUrl, version, folders }) =>
    JSON.stringify(
      {
        info: {
          name: 'svc',
          description: `Every endpoint of svc ${version}.`,
          schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
        },
        item: folders.map(({ name, entries }) => ({ name, item: entries.map(toItem) })),
        variable: [{ key: 'base_url', value: baseUrl, type: 'string' }],
      },
      null,
      2,
    ),
}

function toItem(entry: Entry): object {
  const { name, summary, notes, method, headers } = entry
  return {
    name,
    request: {
      method,
      header: headers.map(({ name: key, value }) => ({ key, value })),
      url: toUrl(entry),
      description: [summary, ...notes].join('\n\n'),
      ...toAuth(entry),
      ...toBody(entry),
    },
    response: [],
    ...(isRedirect(entry) ? { protocolProfileBehavior: { followRedirects: false } } : {}),
  }
}

/** A segment that starts with a colon would be a path variable. */
function toUrl({ target }: Entry): object {
  const [path = '', ...rest] = target.split('?')
  const query = rest.join('?')
  const segments = path
    .slice(1)
    .split('/')
    .map(segment => segment.replace(/^:/, '%3A'))
  return {
    raw: `{{base_url}}/${segments.join('/')}${rest.length > 0 ? `?${query}` : ''}`,
    host: ['{{base_url}}'],
    path: segments,
    ...(query === '' ? {} : { query: query.split('&').map(toParameter) }),
  }
}

/** A query parameter, still encoded; the value is null without an equals sign. */
function toParameter(pair: string): object {
  const equals = pair.indexOf('=')
  return equals === -1 ? { key: pair, value: null } : { key: pair.slice(0, equals), value: pair.slice(equals + 1) }
}

function toAuth({ auth }: Entry): object {
  if (auth === null) return {}
  const { type, ...values } = auth
  return { auth: { type, [type]: Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' })) } }
}

function toBody({ body, bodyType }: Entry): object {
  if (body === null) return {}
  if (bodyType === 'form')
    return {
      body: { mode: 'urlencoded', urlencoded: decodeForm(body).map(({ name: key, value }) => ({ key, value })) },
    }
  return { body: { mode: 'raw', raw: body, options: { raw: { language: bodyType ?? 'text' } } } }
}

/** Insomnia export format 4: a flat list of resources that refer to their parents. */
import { decodeForm, type Entry, type Folder, isRedirect } from '../entries.ts'
import type { Format, Selection } from '../format.ts'
import { stableId } from '../stable-id.ts'

const WORKSPACE = 'wrk_svc'

export const insomnia: Format = {
  id: 'insomnia',
  title: 'Insomnia export v4',
  description: 'An Insomnia workspace with the variable base_url in its base environment.',
  file: 'insomnia.json',
  mediaType: 'application/json',
  filename: 'svc-insomnia.json',
  write: selection =>
    JSON.stringify(
      {
        _type: 'export',
        __export_format: 4,
        // A fixed time, so that the same catalog gives the same file.
        __export_date: new Date(0).toISOString(),
        __export_source: `svc:${selection.version}`,
        resources: [...workspace(selection), ...selection.folders.flatMap(toResources)],
      },
      null,
      2,
    ),
}

function workspace({ baseUrl }: Selection): object[] {
  return [
    { _id: WORKSPACE, _type: 'workspace', parentId: null, name: 'svc', description: '', scope: 'collection' },
    {
      _id: 'env_svc',
      _type: 'environment',
      parentId: WORKSPACE,
      name: 'Base Environment',
      data: { base_url: baseUrl },
    },
  ]
}

function toResources({ name, entries }: Folder): object[] {
  const folder = `fld_${stableId(name)}`
  return [
    { _id: folder, _type: 'request_group', parentId: WORKSPACE, name, environment: {} },
    ...entries.map((entry, index) => toRequest(entry, folder, index)),
  ]
}

function toRequest(entry: Entry, parentId: string, index: number): object {
  const { name, summary, notes, method, target, headers } = entry
  return {
    _id: `req_${stableId(parentId, index, name)}`,
    _type: 'request',
    parentId,
    name,
    description: [summary, ...notes].join('\n\n'),
    method,
    url: `{{ _.base_url }}${literal(target)}`,
    headers: headers.map(header => ({ name: header.name, value: literal(header.value) })),
    authentication: toAuthentication(entry),
    body: toBody(entry),
    parameters: [],
    settingEncodeUrl: false,
    ...(isRedirect(entry) ? { settingFollowRedirects: 'off' } : {}),
  }
}

function toAuthentication({ auth }: Entry): object {
  if (auth === null) return {}
  return auth.type === 'bearer'
    ? { type: 'bearer', token: literal(auth.token) }
    : { type: 'basic', username: literal(auth.username), password: literal(auth.password) }
}

function toBody({ body, bodyType, headers }: Entry): object {
  if (body === null) return {}
  const mimeType = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value.split(';', 1)[0]
  if (bodyType !== 'form') return { mimeType, text: literal(body) }
  return {
    mimeType,
    params: decodeForm(body).map(({ name, value }) => ({ name: literal(name), value: literal(value) })),
  }
}

/** Every text is a Nunjucks template, so opening tags are escaped. */
function literal(text: string): string {
  return text.replace(/\{[{%#]/g, opening => `{{ "${opening}" }}`)
}

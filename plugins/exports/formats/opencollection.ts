/** OpenCollection 1.0.0, the YAML format of Bruno. */
import { decodeForm, type Entry, type Folder, formFields, queryOf } from '../entries.ts'
import type { Format } from '../format.ts'
import { writeYaml } from '../yaml.ts'
import { headersBeside, notesOn, redirectSettings } from './bruno-requests.ts'

export const openCollection: Format = {
  id: 'opencollection',
  title: 'OpenCollection',
  description:
    'A YAML collection for Bruno and other OpenCollection tools, with a folder per category and an environment "svc".',
  file: 'opencollection.yaml',
  mediaType: 'application/yaml',
  filename: 'svc-opencollection.yaml',
  write: ({ baseUrl, version, folders }) =>
    writeYaml({
      opencollection: '1.0.0',
      info: { name: 'svc', version },
      config: { environments: [{ name: 'svc', variables: [{ name: 'base_url', value: baseUrl }] }] },
      items: folders.map(toFolder),
    }),
}

function toFolder({ name, entries }: Folder, index: number): object {
  return { info: { name, type: 'folder', seq: index + 1 }, items: entries.map(toItem) }
}

function toItem(entry: Entry, index: number): object {
  const { name, summary, method, target, auth } = entry
  const form = formFields(entry)
  const headers = headersBeside(form, entry)
  const params = queryOf(entry).map(pair => ({ ...pair, type: 'query' }))
  return {
    info: { name, type: 'http', seq: index + 1 },
    http: {
      method,
      url: `{{base_url}}${target}`,
      ...(params.length > 0 ? { params } : {}),
      ...(headers.length > 0 ? { headers: headers.map(header => ({ name: header.name, value: header.value })) } : {}),
      ...(auth === null ? {} : { auth }),
      ...(form === null
        ? toBody(entry)
        : { body: { type: 'multipart-form', data: form.map(({ name, value }) => ({ name, type: 'text', value })) } }),
    },
    settings: { encodeUrl: false, ...redirectSettings(entry) },
    docs: [summary, ...notesOn(form, entry)].join('\n\n'),
  }
}

function toBody({ body, bodyType }: Entry): object {
  if (body === null) return {}
  if (bodyType === 'form') return { body: { type: 'form-urlencoded', data: decodeForm(body) } }
  return { body: { type: bodyType ?? 'text', data: body } }
}

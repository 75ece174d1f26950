/** Bruno collection in a single JSON file (export version 1). */
import { decodeForm, type Entry, type Folder, type FormField, formFields, type Header, queryOf } from '../entries.ts'
import type { Format } from '../format.ts'
import { headersBeside, notesOn, redirectSettings } from './bruno-requests.ts'
import { stableId } from '../stable-id.ts'

export const bruno: Format = {
  id: 'bruno',
  title: 'Bruno collection',
  description: 'A Bruno collection with a folder per category, and an environment "svc" with the variable base_url.',
  file: 'bruno.json',
  mediaType: 'application/json',
  filename: 'svc-bruno.json',
  write: ({ baseUrl, folders }) => {
    const environment = stableId('environment')
    return JSON.stringify(
      {
        version: '1',
        uid: stableId('collection'),
        name: 'svc',
        items: folders.map(toFolder),
        activeEnvironmentUid: environment,
        environments: [
          {
            uid: environment,
            name: 'svc',
            variables: [
              {
                uid: stableId('base_url'),
                name: 'base_url',
                value: baseUrl,
                type: 'text',
                enabled: true,
                secret: false,
              },
            ],
          },
        ],
        brunoConfig: { version: '1', name: 'svc', type: 'collection' },
      },
      null,
      2,
    )
  },
}

function toFolder({ name, entries }: Folder, index: number): object {
  return {
    uid: stableId('folder', name),
    type: 'folder',
    name,
    seq: index + 1,
    items: entries.map((entry, at) => toItem(entry, name, at)),
  }
}

function toItem(entry: Entry, folder: string, index: number): object {
  const { name, summary, method, target } = entry
  const uid = stableId('request', folder, index)
  const form = formFields(entry)
  return {
    uid,
    type: 'http-request',
    name,
    seq: index + 1,
    // Bruno keeps one file per request, and names in a folder may be equal.
    filename: `${index + 1}-${fileName(name)}.bru`,
    request: {
      url: `{{base_url}}${target}`,
      method,
      headers: toPairs(headersBeside(form, entry), uid, 'header'),
      params: toPairs(queryOf(entry), uid, 'param').map(pair => ({ ...pair, type: 'query' })),
      auth: toAuth(entry),
      body: form === null ? toBody(entry, uid) : toForm(form, uid),
      script: {},
      vars: {},
      assertions: [],
      tests: '',
      docs: [summary, ...notesOn(form, entry)].join('\n\n'),
    },
    settings: { encodeUrl: false, ...redirectSettings(entry) },
  }
}

function fileName(name: string): string {
  return name.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 80)
}

function toPairs(pairs: Header[], uid: string, kind: string): (Header & { uid: string; enabled: true })[] {
  return pairs.map(({ name, value }, index) => ({ uid: stableId(uid, kind, index), name, value, enabled: true }))
}

function toAuth({ auth }: Entry): object {
  if (auth === null) return { mode: 'none' }
  const { type, ...values } = auth
  return { mode: type, [type]: values }
}

function toForm(form: FormField[], uid: string): object {
  return {
    mode: 'multipartForm',
    multipartForm: form.map(({ name, value, type }, index) => ({
      uid: stableId(uid, 'part', index),
      type: 'text',
      name,
      value,
      contentType: type,
      enabled: true,
    })),
  }
}

function toBody({ body, bodyType }: Entry, uid: string): object {
  if (body === null) return { mode: 'none' }
  if (bodyType === 'form') return { mode: 'formUrlEncoded', formUrlEncoded: toPairs(decodeForm(body), uid, 'field') }
  const mode = bodyType ?? 'text'
  return { mode, [mode]: body }
}

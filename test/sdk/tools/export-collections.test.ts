/** Collections: each is read by its own library, and contains every example of the catalog. */
import t, { type Test } from 'tap'
import { createRequire } from 'node:module'
import { convert } from 'insomnia-importers'
import { parse } from 'yaml'
import postman, { type CollectionDefinition, type Item } from 'postman-collection'
import type { Catalog } from '../../../core/contract/plugin.ts'
import {
  basic,
  changesInstance,
  encodeForm,
  expectedOf,
  headersOf,
  sameForm,
  sentExamples,
  type Exported,
  type Included,
} from '../../support/exported.ts'
import { readHttpFile, readHurl, readInsomnia, withoutBase } from '../../support/exported-files.ts'
import { HOSTILE } from '../../support/hostile-plugin.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'

const require = createRequire(import.meta.url)
const { collectionSchema } = require('@usebruno/schema') as {
  collectionSchema: { validate(value: unknown): Promise<unknown> }
}
const { openCollectionToBruno } = require('@usebruno/converters') as {
  openCollectionToBruno(collection: object): object
}
const { har: validateHar } = require('har-validator/lib/promise') as { har(value: unknown): Promise<unknown> }

const plugins = pluginFolder(t, { hostile: HOSTILE })
const server = await serve(t, { env: { SVC_PLUGINS_DIR: plugins.folder } })
const fetchText = async (path: string): Promise<string> => (await fetch(server.url + path)).text()

/** Reads a file: validates it with the library of the format, then returns its requests. */
const READERS: Record<string, (t: Test, text: string) => Promise<Exported[]> | Exported[]> = {
  'postman.json': readPostman,
  'insomnia.json': async (t, text) => {
    const { type, data } = await convert(text)
    t.equal(type.id, 'insomnia-4')
    const { data: environment } = data.resources.find(({ _type }) => _type === 'environment') as {
      data?: { base_url: string }
    }
    t.equal(environment?.base_url, server.url)
    t.equal(new Set(data.resources.map(({ _id }) => _id)).size, data.resources.length, 'ids are unique')
    return readInsomnia(data.resources as unknown as Parameters<typeof readInsomnia>[0], encodeForm)
  },
  'bruno.json': readBruno,
  'opencollection.yaml': async (t, text) => {
    const { items, environments, ...collection } = openCollectionToBruno(parse(text) as object) as {
      items: { items: { filename: string | null }[] }[]
      environments: object[]
    }
    // File names, which Bruno's importer leaves to the application.
    items.forEach(folder =>
      folder.items.forEach((item, at) => {
        item.filename = `${at}.bru`
      }),
    )
    return readBruno(t, JSON.stringify({ ...collection, items, environments }))
  },
  'har.json': readHar,
  'requests.http': (t, text) => {
    const { baseUrl, requests } = readHttpFile(text)
    t.equal(baseUrl, server.url)
    return requests
  },
  'requests.hurl': (_t, text) => readHurl(text),
}

function readPostman(t: Test, text: string): Exported[] {
  const json = JSON.parse(text) as CollectionDefinition & { info: { schema: string } }
  t.equal(json.info.schema, 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json')
  const collection = new postman.Collection(json)
  t.equal(collection.variables.one('base_url')?.get(), server.url)
  const requests: Exported[] = []
  collection.forEachItem((item: Item) => {
    const { url, method, headers: list, auth, body } = item.request
    const headers = headersOf(list.map(({ key, value }: { key: string; value: string }) => ({ name: key, value })))
    const parameter = (name: string): string => String(auth!.parameters().one(name)?.value)
    if (auth?.type === 'basic') headers.authorization = basic(parameter('username'), parameter('password'))
    if (auth?.type === 'bearer') headers.authorization = `Bearer ${parameter('token')}`
    t.equal(url.variables.count(), 0, `${item.name} has no variables of the path`)
    const form =
      body?.urlencoded && encodeForm(body.urlencoded.map(({ key, value }) => ({ name: key!, value: value! })))
    requests.push({
      name: item.name,
      category: (item.parent() as unknown as { name: string }).name,
      method,
      target: withoutBase(url.toString()),
      headers,
      body: body ? (body.mode === 'urlencoded' ? form! : body.raw!) : null,
    })
  })
  return requests
}

interface BrunoItem {
  uid: string
  name: string
  filename: string
  items: BrunoItem[]
  request: {
    url: string
    method: string
    headers: { name: string; value: string }[]
    params: { name: string; value: string }[]
    auth: { mode: string; basic: { username: string; password: string }; bearer: { token: string } }
    body: { mode: string; formUrlEncoded: Pair[]; multipartForm: Pair[] } & Record<string, unknown>
  }
  settings: { followRedirects?: boolean }
}
type Pair = { name: string; value: string }

async function readBruno(t: Test, text: string): Promise<Exported[]> {
  const json = JSON.parse(text) as {
    items: BrunoItem[]
    environments: { name: string; variables: { name: string; value: string }[] }[]
  }
  await collectionSchema.validate(json)
  t.strictSame(
    json.environments.map(({ name, variables }) => [name, variables.map(variable => [variable.name, variable.value])]),
    [['svc', [['base_url', server.url]]]],
  )
  const uids = text.match(/"uid": ?"[^"]+"/g)!
  t.equal(new Set(uids).size, uids.length, 'uids are unique')
  return json.items.flatMap(folder => {
    t.equal(
      new Set(folder.items.map(({ filename }) => filename.toLowerCase())).size,
      folder.items.length,
      'every request has a file',
    )
    return folder.items.map(({ name, request: { url, method, headers, params, auth, body } }) => {
      const fields = headersOf(headers)
      if (auth.mode === 'basic') fields.authorization = basic(auth.basic.username, auth.basic.password)
      if (auth.mode === 'bearer') fields.authorization = `Bearer ${auth.bearer.token}`
      t.strictSame(
        params.map(pair => [pair.name, pair.value]),
        [...new URLSearchParams(url.split('?').slice(1).join('?'))],
        'params are those of the URL',
      )
      const content =
        body.mode === 'none'
          ? null
          : body.mode === 'formUrlEncoded'
            ? encodeForm(body.formUrlEncoded)
            : body.mode === 'multipartForm'
              ? writePairs(body.multipartForm)
              : String(body[body.mode])
      return { name, category: folder.name, method, target: withoutBase(url), headers: fields, body: content }
    })
  })
}

function writePairs(pairs: Pair[]): string {
  return JSON.stringify(pairs.map(({ name, value }) => [name, value]))
}

/** The request as Bruno has it: the parts of a multipart body, and no type, whose boundary Bruno chooses. */
async function withParts(request: Exported): Promise<Exported> {
  const { 'content-type': type, ...headers } = request.headers
  if (!type?.startsWith('multipart/form-data')) return request
  const form = await new Response(request.body, { headers: { 'Content-Type': type } }).formData()
  const pairs: Pair[] = []
  for (const [name, value] of form) pairs.push({ name, value: typeof value === 'string' ? value : await value.text() })
  return { ...request, headers: Object.assign(Object.create(null) as object, headers), body: writePairs(pairs) }
}

interface Har {
  log: {
    pages: { id: string; title: string }[]
    entries: {
      pageref: string
      comment: string
      request: {
        method: string
        url: string
        headers: { name: string; value: string }[]
        postData?: { text: string }
        bodySize: number
      }
      response: { status: number }
    }[]
  }
}

async function readHar(t: Test, text: string): Promise<Exported[]> {
  const json = JSON.parse(text) as Har
  await validateHar(json)
  const titles = new Map(json.log.pages.map(({ id, title }) => [id, title]))
  return json.log.entries.map(
    ({ pageref, comment, request: { method, url, headers, postData, bodySize }, response }) => {
      t.equal(response.status, 0)
      t.ok(url.startsWith(`${server.url}/`) && URL.canParse(url), url)
      t.equal(bodySize, Buffer.byteLength(postData?.text ?? ''))
      return {
        name: comment.split('. The ')[0]!,
        category: titles.get(pageref)!,
        method,
        target: url.slice(server.url.length),
        headers: headersOf(headers),
        body: postData?.text ?? null,
      }
    },
  )
}

/** What files of this name leave out. */
const includedIn = (file: string): Included => (file === 'requests.http' ? { without: 'QUERY' } : {})

const BRUNO: ReadonlySet<string> = new Set(['bruno.json', 'opencollection.yaml'])

const catalog = JSON.parse(await fetchText('/_svc/catalog')) as Catalog
const [hostile, tame] = [true, false].map(wanted =>
  expectedOf({ endpoints: catalog.endpoints.filter(({ plugin }) => (plugin === 'hostile') === wanted) }),
) as [Exported[], Exported[]]
const product = [
  ...new Set(catalog.endpoints.flatMap(({ plugin }) => (plugin === null || plugin === 'hostile' ? [] : [plugin]))),
]

for (const [file, read] of Object.entries(READERS)) {
  t.test(`${file} contains every example [EXPORT-6]`, async t => {
    const requests = await read(t, await fetchText(`/export/${file}`))
    const found = requests.filter(({ category }) => !category.startsWith('Hostile'))
    t.ok(tame.length > 300 && product.length > 25)
    const wanted = tame.filter(({ method }) => method !== includedIn(file).without)
    t.equal(found.length, wanted.length)
    // This format drops the last line break of a multipart body, which belongs to no part.
    const trimmed = (body: string | null) =>
      file === 'requests.http' && body?.endsWith('--\r\n') ? body.trimEnd() : body
    for (const [at, whole] of wanted.entries()) {
      const expected = BRUNO.has(file) ? await withParts(whole) : whole
      t.strictSame(sameForm(found[at]!), sameForm({ ...expected, body: trimmed(expected.body) }), expected.name)
    }
    const text = await fetchText(`/export/${file}`)
    for (const { path, protocol, endless } of catalog.endpoints)
      if (endless && protocol === 'sse') t.notOk(text.includes(`${path} - `), `${path} has no end`)
  })

  t.test(`${file} keeps hostile values unchanged [EXPORT-7]`, async t => {
    const found = await read(t, await fetchText(`/export/${file}?plugin=hostile`))
    t.equal(found.length, hostile.length)
    for (const [at, expected] of hostile.entries()) {
      const wanted = afterExport(expected, file)
      const got = sameForm(found[at]!)
      if (isJson(wanted) && got.body !== null)
        t.strictSame(
          { ...got, body: JSON.parse(got.body) as unknown },
          { ...wanted, body: JSON.parse(wanted.body!) as unknown },
          expected.name,
        )
      else t.strictSame(got, sameForm(wanted), expected.name)
    }
  })
}

/** Names of the requests of a file whose redirects are not followed, in order. */
const UNFOLLOWED: Record<string, (text: string) => string[]> = {
  'postman.json': text =>
    (
      JSON.parse(text) as {
        item: { item: { name: string; protocolProfileBehavior?: { followRedirects: boolean } }[] }[]
      }
    ).item.flatMap(({ item }) =>
      item.flatMap(({ name, protocolProfileBehavior }) =>
        protocolProfileBehavior?.followRedirects === false ? [name] : [],
      ),
    ),
  'insomnia.json': text =>
    (JSON.parse(text) as { resources: { name: string; settingFollowRedirects?: string }[] }).resources.flatMap(
      ({ name, settingFollowRedirects }) => (settingFollowRedirects === 'off' ? [name] : []),
    ),
  'bruno.json': text => unfollowedOf(JSON.parse(text) as { items: BrunoItem[] }),
  'opencollection.yaml': text =>
    unfollowedOf(openCollectionToBruno(parse(text) as object) as unknown as { items: BrunoItem[] }),
  'requests.http': text =>
    text.split(/^### /m).flatMap(block => (block.includes('\n# @no-redirect\n') ? [block.split('\n', 1)[0]!] : [])),
}

function unfollowedOf({ items }: { items: BrunoItem[] }): string[] {
  return items.flatMap(folder =>
    folder.items.flatMap(({ name, settings }) => (settings.followRedirects === false ? [name] : [])),
  )
}

for (const [file, unfollowed] of Object.entries(UNFOLLOWED)) {
  t.test(`${file} does not follow documented redirects [EXPORT-19]`, async t => {
    const redirects = sentExamples(catalog, includedIn(file)).filter(
      ({ example: { expect_status: status } }) => status !== null && status >= 300 && status < 400,
    )
    t.ok(redirects.length > 10)
    t.strictSame(
      unfollowed(await fetchText(`/export/${file}`)),
      redirects.map(({ endpoint, example }) => `${endpoint.path} - ${example.name}`),
    )
  })
}

t.test('requests that change the instance are only included on demand [EXPORT-18]', async t => {
  const changes = sentExamples(catalog, { control: true }).filter(({ endpoint, example }) =>
    changesInstance(endpoint, example),
  )
  t.ok(changes.length > 40)
  for (const [file, read] of Object.entries(READERS)) {
    const usual = await read(t, await fetchText(`/export/${file}`))
    t.notOk(usual.some(({ method, target }) => target.startsWith('/_svc/') && !['GET', 'HEAD'].includes(method)))
    t.notOk(usual.some(({ target }) => /^\/health\/./.test(target)))
    t.ok(
      usual.some(({ target }) => target.startsWith('/_svc/')),
      'reading the control plane is in it',
    )
    const all = await read(t, await fetchText(`/export/${file}?include=control`))
    t.strictSame(
      all.map(({ name }) => name.replaceAll('\n', ' ')),
      expectedOf(catalog, { control: true, ...includedIn(file) }).map(({ name }) => name.replaceAll('\n', ' ')),
      `${file} with them`,
    )
  }
})

function isJson({ headers }: Exported): boolean {
  return headers['content-type'] === 'application/json'
}

/** What stays of a hostile request; names say what has to go. */
function afterExport(request: Exported, file: string): Exported {
  const isHttp = file === 'requests.http'
  const leavesBody = request.name.includes('[no body]') || (isHttp && request.name.includes('[no body in .http]'))
  const headers = { ...request.headers }
  if (request.name.includes('[no header]')) delete headers['x-gone']
  if (isHttp && request.name.includes('[no header in .http]')) delete headers['x-braces']
  if (request.name.includes('[no body]')) delete headers['content-type']
  if (request.name.includes('[no auth]')) delete headers.authorization
  return {
    ...request,
    name: request.name.replaceAll('\n', ' '),
    category: 'Hostile :: category * with a line end',
    target: request.target
      .replaceAll(' ', '%20')
      .replace('é', '%C3%A9')
      .replace('#', '%23')
      .replaceAll('{{', '%7B%7B')
      .replace('/:colon', file === 'postman.json' ? '/%3Acolon' : '/:colon'),
    headers: Object.assign(Object.create(null) as object, headers) as Record<string, string>,
    body: leavesBody ? null : request.body,
  }
}

/** Context caches: `cachedContents`. */
import type { Engine, HandlerRoute, RouteInput } from '../../llm/types.ts'
import { describeRoute, replyOf } from '../files.ts'
import { field } from '../fields.ts'
import { readPage } from '../page.ts'
import { readContents } from '../request.ts'
import { CACHED_MEMBERS, noCache, tokensOfCache } from './cached-prompt.ts'
import type { CachedContent, CacheStore } from './cache-store.ts'
import { readChangedExpiration, readExpiration } from './expiration.ts'

const PATH = '/v1beta/cachedContents'
const BETA = ['/ai/gemini/v1']
const UNKNOWN = 'unknown00000'
const MAX_DISPLAY_NAME = 128
const ID_DIGITS = 24

export function cacheRoutes(engine: Engine, caches: CacheStore): HandlerRoute[] {
  const find = async (input: RouteInput): Promise<CachedContent> => {
    const found = await caches.get(input, input.params.id ?? '')
    if (found === undefined) throw noCache(engine)
    return found
  }
  const common = { path: `${PATH}/{id}`, aliases: BETA, op: 'other' as const }
  return [
    {
      method: 'POST',
      path: PATH,
      aliases: BETA,
      op: 'other',
      describe: {
        summary: 'cache contents',
        requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
        examples: [
          {
            name: 'A text for ten minutes',
            method: 'POST',
            path: `/ai/gemini${PATH}`,
            body: JSON.stringify({
              model: 'models/svc-gemini',
              contents: [{ role: 'user', parts: [{ text: 'A long text' }] }],
              ttl: '600s',
            }),
            bodyType: 'json',
            expectStatus: 200,
          },
        ],
      },
      async handle(input) {
        const cache = readCache(engine, caches, input)
        await caches.put(input, cache)
        return replyOf(showCache(cache))
      },
    },
    {
      method: 'GET',
      path: PATH,
      aliases: BETA,
      op: 'other',
      describe: describeRoute('GET', PATH, 'list cached contents', 'All caches', 200),
      async handle(input) {
        const { start, size } = readPage(engine, input, { method: 'ListCachedContentsRequest', usual: 50, max: 1000 })
        const { items, nextToken } = engine.cutPage(await caches.list(input), start, size)
        return replyOf({
          ...(items.length === 0 ? {} : { cachedContents: items.map(showCache) }),
          ...(nextToken === null ? {} : { nextPageToken: nextToken }),
        })
      },
    },
    {
      ...common,
      method: 'GET',
      describe: describeRoute('GET', `${PATH}/${UNKNOWN}`, 'get cached content', 'Unknown cache', 403),
      handle: async input => replyOf(showCache(await find(input))),
    },
    {
      ...common,
      method: 'PATCH',
      describe: {
        ...describeRoute('PATCH', `${PATH}/${UNKNOWN}`, 'change when cached content expires', 'Unknown cache', 403),
        parameters: [
          { name: 'updateMask', in: 'query', description: '`ttl` or `expireTime`', schema: { type: 'string' } },
        ],
      },
      async handle(input) {
        const found = await find(input)
        const now = Date.now()
        const mask = input.query.get('updateMask') ?? input.query.get('update_mask')
        const expiresAt = readChangedExpiration(input.json(), mask, { engine, now, maxTtlMs: caches.maxTtlMs })
        const changed = { ...found, updatedAt: now, expiresAt }
        await caches.put(input, changed)
        return replyOf(showCache(changed))
      },
    },
    {
      ...common,
      method: 'DELETE',
      describe: describeRoute('DELETE', `${PATH}/${UNKNOWN}`, 'delete cached content', 'Unknown cache', 403),
      async handle(input) {
        await caches.delete(input, (await find(input)).id)
        return replyOf({})
      },
    },
  ]
}

/** A new cache. Throws for an invalid request. */
function readCache(engine: Engine, caches: CacheStore, input: RouteInput): CachedContent {
  const { json } = engine
  const body = input.json()
  const model = (json.textOf(body.model) ?? '').split('/').at(-1)!
  if (model === '') throw engine.badInput('* CreateCachedContentRequest.cached_content.model: model is not specified')
  const displayName = json.textOf(field(engine, body, 'displayName')) ?? null
  if (displayName !== null && [...displayName].length > MAX_DISPLAY_NAME)
    throw engine.badInput(
      `* CreateCachedContentRequest.cached_content.display_name: at most ${MAX_DISPLAY_NAME} characters are allowed`,
    )
  const content = Object.fromEntries(
    CACHED_MEMBERS.flatMap(name => {
      const given = field(engine, body, name)
      return given === undefined ? [] : [[name, given]]
    }),
  )
  if (content.contents === undefined && content.systemInstruction === undefined && content.tools === undefined)
    throw engine.badInput(
      '* CreateCachedContentRequest.cached_content: set contents, system_instruction or tools to be cached',
    )
  // Checked, and kept as a list.
  if (content.contents !== undefined) {
    readContents(engine, content.contents)
    if (!Array.isArray(content.contents))
      content.contents =
        typeof content.contents === 'string' ? [{ parts: [{ text: content.contents }] }] : [content.contents]
  }
  const now = Date.now()
  return {
    id: engine.randomId(ID_DIGITS),
    model: `models/${model}`,
    displayName,
    createdAt: now,
    updatedAt: now,
    expiresAt: readExpiration(body, { engine, now, maxTtlMs: caches.maxTtlMs }),
    tokens: tokensOfCache(engine, content, model),
    content,
  }
}

/** What a cache contains is not shown. */
function showCache({ id, model, displayName, createdAt, updatedAt, expiresAt, tokens }: CachedContent): object {
  return {
    name: `cachedContents/${id}`,
    model,
    ...(displayName === null ? {} : { displayName }),
    createTime: new Date(createdAt).toISOString(),
    updateTime: new Date(updatedAt).toISOString(),
    expireTime: new Date(expiresAt).toISOString(),
    usageMetadata: { totalTokenCount: tokens },
  }
}

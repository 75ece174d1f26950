/** The blocklists of Azure AI Content Safety under `/guardrails/azure/contentsafety/text/blocklists`. */
import {
  describe,
  readJsonObject,
  readQuery,
  type FastifyInstance,
  type FastifyRequest,
  type HttpError,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import type { Blocklist, Blocklists } from '../azure-blocklists.ts'
import {
  checkName,
  cutPage,
  parseBlocklist,
  parseItemIds,
  parseItems,
  parsePage,
  type Page,
} from '../azure-blocklist-request.ts'
import { azureError } from '../errors.ts'

const LISTS = '/guardrails/azure/contentsafety/text/blocklists'
const LIST = `${LISTS}/{blocklistName}`
const VERSION = 'api-version=2024-09-01'
const category = 'AI: Guardrails'
const nameParameter = {
  name: 'blocklistName',
  in: 'path',
  required: true,
  description: '1 to 64 characters: letters, digits and -_.~',
  schema: { type: 'string', pattern: '^[0-9A-Za-z._~-]{1,64}$' },
} as const
const idParameter = { name: 'blocklistItemId', in: 'path', required: true, schema: { type: 'string' } } as const
const object = { 'application/json': { type: 'object' } } as const
const badRequest = { 400: { description: 'InvalidRequestBody, InvalidResourceName' } }
const missing = { 404: { description: 'ResourceNotFound' } }
const json = [{ name: 'Content-Type', value: 'application/json' }]

const listLists: RouteDescription = {
  summary: 'List blocklists (Azure AI Content Safety)',
  category,
  responses: { 200: { description: '`value`: the name and description of each list', content: object } },
  examples: [{ name: 'All', path: `${LISTS}?${VERSION}`, expectStatus: 200 }],
}
const getList: RouteDescription = {
  path: LIST,
  summary: 'Get a blocklist',
  category,
  parameters: [nameParameter],
  responses: { 200: { description: 'blocklistName, description', content: object }, ...badRequest, ...missing },
  examples: [{ name: 'Unknown', path: `${LISTS}/no-such-list?${VERSION}`, expectStatus: 404 }],
}
const patchList: RouteDescription = {
  path: LIST,
  summary: 'Create or update a blocklist',
  category,
  parameters: [nameParameter],
  description:
    'The server keeps up to 20 lists in memory; a further list replaces the least recently used one. In public mode, each session has up to 5 lists of its own.',
  requestBody: { required: true, content: { 'application/merge-patch+json': { type: 'object' } } },
  responses: {
    200: { description: 'Updated', content: object },
    201: { description: 'Created', content: object },
    ...badRequest,
  },
  examples: [
    {
      name: 'Team terms',
      method: 'PATCH',
      path: `${LISTS}/team-terms?${VERSION}`,
      headers: [{ name: 'Content-Type', value: 'application/merge-patch+json' }],
      body: '{"description":"Words of a project"}',
      bodyType: 'json',
      expectStatus: null,
    },
  ],
}
const deleteList: RouteDescription = {
  path: LIST,
  summary: 'Delete a blocklist',
  category,
  parameters: [nameParameter],
  responses: { 204: { description: 'Deleted, or the list did not exist' }, ...badRequest },
  examples: [{ name: 'Unknown', method: 'DELETE', path: `${LISTS}/no-such-list?${VERSION}`, expectStatus: 204 }],
}
const addItems: RouteDescription = {
  path: `${LIST}:addOrUpdateBlocklistItems`,
  summary: 'Add or update items of a blocklist',
  category,
  parameters: [nameParameter],
  description:
    '`blocklistItems`: 1 to 100 items with `text` (at most 128 characters) and `description`. Items are identified by their text.',
  requestBody: { required: true, content: object },
  responses: {
    200: { description: '`blocklistItems`: the items with their ids', content: object },
    ...badRequest,
    ...missing,
  },
  examples: [
    {
      name: 'To an unknown list',
      method: 'POST',
      path: `${LISTS}/no-such-list:addOrUpdateBlocklistItems?${VERSION}`,
      headers: json,
      body: '{"blocklistItems":[{"text":"project falcon"}]}',
      bodyType: 'json',
      expectStatus: 404,
    },
  ],
}
const removeItems: RouteDescription = {
  path: `${LIST}:removeBlocklistItems`,
  summary: 'Remove items from a blocklist',
  category,
  parameters: [nameParameter],
  description: '`blocklistItemIds`: 1 to 100 ids.',
  requestBody: { required: true, content: object },
  responses: { 204: { description: 'Removed' }, ...badRequest, ...missing },
  examples: [
    {
      name: 'From an unknown list',
      method: 'POST',
      path: `${LISTS}/no-such-list:removeBlocklistItems?${VERSION}`,
      headers: json,
      body: '{"blocklistItemIds":["b10c0000-0000-4000-8000-000000000001"]}',
      bodyType: 'json',
      expectStatus: 404,
    },
  ],
}
const listItems: RouteDescription = {
  path: `${LIST}/blocklistItems`,
  summary: 'List the items of a blocklist',
  category,
  parameters: [
    nameParameter,
    { name: 'top', in: 'query', description: 'Maximum number of items', schema: { type: 'integer', minimum: 0 } },
    { name: 'skip', in: 'query', description: 'Number of items to skip', schema: { type: 'integer', minimum: 0 } },
    {
      name: 'maxpagesize',
      in: 'query',
      description: 'Items per page, at most 100',
      schema: { type: 'integer', minimum: 1 },
    },
  ],
  responses: {
    200: { description: '`value`, and `nextLink` if there are more items', content: object },
    400: { description: 'InvalidResourceName, InvalidQueryParameterValue' },
    ...missing,
  },
  examples: [
    { name: 'Of an unknown list', path: `${LISTS}/no-such-list/blocklistItems?${VERSION}`, expectStatus: 404 },
  ],
}
const getItem: RouteDescription = {
  path: `${LIST}/blocklistItems/{blocklistItemId}`,
  summary: 'Get an item of a blocklist',
  category,
  parameters: [nameParameter, idParameter],
  responses: { 200: { description: 'blocklistItemId, description, text', content: object }, ...badRequest, ...missing },
  examples: [
    {
      name: 'Unknown',
      path: `${LISTS}/no-such-list/blocklistItems/b10c0000-0000-4000-8000-000000000001?${VERSION}`,
      expectStatus: 404,
    },
  ],
}

interface Params {
  name: string
  id: string
}
type Run = (scope: string, name: string, body: Record<string, unknown>) => Promise<object | null>

export function registerBlocklists(app: FastifyInstance, svc: Svc<unknown>, lists: Blocklists): void {
  const scopeOf = (request: FastifyRequest): string => blocklistScope(svc, request)
  const found = async (request: FastifyRequest): Promise<Blocklist> => {
    const { name } = request.params as Params
    return (await lists.find(scopeOf(request), checkName(name))) ?? notFound(name)
  }

  app.get(LISTS, describe(listLists), async request => ({ value: (await lists.list(scopeOf(request))).map(shown) }))
  app.get(`${LISTS}/:name`, describe(getList), async request => shown(await found(request)))
  app.patch(`${LISTS}/:name`, describe(patchList), async (request, reply) => {
    const name = checkName((request.params as Params).name)
    const { list, isNew } = await lists.put(scopeOf(request), name, parseBlocklist(readBody(svc, request), name))
    return reply.code(isNew ? 201 : 200).send(shown(list))
  })
  app.delete(`${LISTS}/:name`, describe(deleteList), async (request, reply) => {
    await lists.delete(scopeOf(request), checkName((request.params as Params).name))
    return reply.code(204).send()
  })
  app.get(`${LISTS}/:name/blocklistItems`, describe(listItems), async request => {
    const query = readQuery(request)
    const page = parsePage(query)
    const { blocklistName, items } = await found(request)
    const { entries, next } = cutPage(items, page)
    return {
      value: entries,
      ...(next === null
        ? {}
        : { nextLink: svc.http.url(request, `${LISTS}/${blocklistName}/blocklistItems?${pageQuery(query, next)}`) }),
    }
  })
  app.get(`${LISTS}/:name/blocklistItems/:id`, describe(getItem), async request => {
    const { items } = await found(request)
    const { id } = request.params as Params
    return items.find(item => item.blocklistItemId === id) ?? itemNotFound(id)
  })

  const operations: Record<string, { description: RouteDescription; run: Run }> = {
    addOrUpdateBlocklistItems: {
      description: addItems,
      async run(scope, name, body) {
        const added = await lists.addItems(scope, name, parseItems(body))
        if (added === 'no-list') return notFound(name)
        if (added === 'full')
          throw azureError(
            `A blocklist can have at most ${lists.limits.items} items with ${lists.limits.points} characters in total.`,
            'blocklistItems',
          )
        return { blocklistItems: added.items }
      },
    },
    removeBlocklistItems: {
      description: removeItems,
      run: async (scope, name, body) =>
        (await lists.removeItems(scope, name, parseItemIds(body))) ? null : notFound(name),
    },
  }
  // The router would read the colon of an operation as a parameter, and clients may percent-encode it.
  app.post(`${LISTS}/:target`, describe(addItems, removeItems), async (request, reply) => {
    const { target } = request.params as { target: string }
    const colon = target.lastIndexOf(':')
    const operation = target.slice(colon + 1)
    const known = colon >= 0 && Object.hasOwn(operations, operation) ? operations[operation] : undefined
    if (known === undefined)
      throw azureError(`Unknown operation ${operation.slice(0, 100)}.`, undefined, 404, 'NotFound')
    svc.http.selectDescription(request, known.description)
    const response = await known.run(scopeOf(request), checkName(target.slice(0, colon)), readBody(svc, request))
    return response === null ? reply.code(204).send() : reply.send(response)
  })
}

/** The scope of the lists that a request can access. */
export function blocklistScope(svc: Svc<unknown>, request: FastifyRequest): string {
  return svc.config.publicMode ? svc.http.session(request).key : ''
}

function shown({ blocklistName, description }: Blocklist): object {
  return { blocklistName, ...(description === undefined ? {} : { description }) }
}

function readBody(svc: Svc<unknown>, request: FastifyRequest): Record<string, unknown> {
  const body = svc.http.body(request)
  const value = body.length === 0 ? null : readJsonObject(body)
  if (value === null) throw azureError('The body must be a JSON object.')
  return value
}

function pageQuery(query: URLSearchParams, { skip, top, size }: Page): URLSearchParams {
  const version = query.get('api-version')
  return new URLSearchParams({
    ...(version === null ? {} : { 'api-version': version }),
    skip: String(skip),
    ...(top === undefined ? {} : { top: String(top) }),
    maxpagesize: String(size),
  })
}

function notFound(name: string): never {
  throw notFoundError(`The blocklist ${name} does not exist.`, 'blocklistName')
}

function itemNotFound(id: string): never {
  throw notFoundError(`The blocklist item ${id.slice(0, 100)} does not exist.`, 'blocklistItemId')
}

function notFoundError(message: string, target: string): HttpError {
  return azureError(message, target, 404, 'ResourceNotFound')
}

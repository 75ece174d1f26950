/** The route that reports the usage of each API key. */
import type { FastifyInstance } from 'fastify'
import { describe, HttpError, readQuery, type FastifyRequest, type RouteDescription } from '../contract/plugin.ts'
import { firstHeader } from '../http/request/header.ts'
import { findKey } from '../keys/api-key.ts'
import { periodAt, periodView } from '../limits/period.ts'
import type { ControlDeps } from './deps.ts'
import { SVC_KEYS_USAGE } from './reply-schemas/usage.ts'

const showUsageDescription: RouteDescription = {
  summary: "Today's usage of each API key (shared mode)",
  reply: SVC_KEYS_USAGE,
  description:
    'If an admin token is configured, or in public mode, callers without the token see only the usage of their own key.',
  category: 'Control Plane',
  parameters: [
    { name: 'id', in: 'query', description: 'Only the key with this id.', schema: { type: 'string' } },
    {
      name: 'X-Svc-Key',
      in: 'header',
      description: 'The API key of a caller without the admin token.',
      schema: { type: 'string' },
    },
  ],
  responses: {
    200: { description: 'The keys, by id.' },
    401: { description: 'The request has neither the admin token nor a valid key.' },
    403: {
      description: 'The instance runs in public mode, no admin token is configured, and the request has no valid key.',
    },
  },
  examples: [{ name: 'Usage of all keys', path: '/_svc/keys/usage' }],
}

/** Registers `/_svc/keys/usage`. */
export function registerKeysUsage(app: FastifyInstance, deps: ControlDeps): void {
  const { instance, keys } = deps
  app.get('/_svc/keys/usage', describe(showUsageDescription), async request => {
    const id = readQuery(request).get('id')
    if (keys === null) return { shared_mode: false, require_key: false, instance_id: instance.id, ...offRecord() }
    const own = visibleId(request, deps)
    const { shared_mode, require_key, ...rest } = await keys.usage(own ?? id)
    const isOthers = own !== null && id !== null && id !== own
    return {
      shared_mode,
      require_key,
      instance_id: instance.id,
      ...rest,
      ...(isOthers ? { count: 0, keys: [] } : {}),
    }
  })
}

function offRecord(): object {
  const now = Date.now()
  return {
    registry: null,
    quota_store: { configured: false, up: false },
    period: periodView(periodAt('day', now), now),
    count: 0,
    keys: [],
  }
}

/** The id of the only key that the caller may see, or null for all keys. Throws a 401 or 403 if the caller may see none. */
function visibleId(request: FastifyRequest, { config, http, keys }: ControlDeps): string | null {
  const isGuarded = config.controlAuth === 'open' && (config.adminToken !== null || config.publicMode)
  if (!isGuarded || http.isAdmin(request)) return null
  const holder = keys!.holderOf(findKey(firstHeader(request.raw, 'x-svc-key'), request.raw.url ?? ''))
  if (holder !== null) return holder.id
  throw config.adminToken === null
    ? new HttpError(403, { error: 'in public mode you can only see the usage of your own key: send X-Svc-Key' })
    : new HttpError(401, { error: 'admin token or API key required: send X-Svc-Admin-Token or X-Svc-Key' })
}

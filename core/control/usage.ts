/** The route that reports the usage of the plan. */
import type { FastifyInstance } from 'fastify'
import { describe } from '../contract/plugin.ts'
import { buildFacts } from './build-facts.ts'
import type { ControlDeps } from './deps.ts'
import { SVC_USAGE } from './reply-schemas/usage.ts'

/** Registers `/_svc/usage`. */
export function registerUsage(app: FastifyInstance, { config, http, instance, limits }: ControlDeps): void {
  app.get(
    '/_svc/usage',
    describe({
      summary: 'Usage of the plan: quotas, rate, requests in flight, open streams',
      reply: SVC_USAGE,
      description:
        "For the whole instance or for the caller's session, depending on the plan. This request itself is neither limited nor counted and carries no plan headers.",
      category: 'Control Plane',
      parameters: [
        {
          name: 'X-Svc-Session',
          in: 'header',
          description: 'The session to show.',
          schema: { type: 'string' },
        },
      ],
      examples: [{ name: 'Usage', path: '/_svc/usage', expectStatus: 200 }],
    }),
    async request => ({
      ...(await limits.usage(http.session(request))),
      instance_id: instance.id,
      control_auth: config.controlAuth,
      build: { version: instance.version, git_sha: instance.gitSha, profile: buildFacts().profile },
    }),
  )
}

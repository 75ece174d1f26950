/** Adapters and sleep of providers with `metrics`, as vLLM and llm-d's simulator have them. */
import { describe, HttpError, readJsonObject, type FastifyInstance, type Svc } from 'svc/plugin'
import { MAX_ADAPTERS, type ModelServer } from './model-server.ts'

const MAX_NAME = 200

export function registerServerRoutes(
  app: FastifyInstance,
  svc: Svc<unknown>,
  { basePath, title, category, server }: { basePath: string; title: string; category: string; server: ModelServer },
): void {
  const change = { category, area: 'http', credentials: ['none', 'adminToken'] } as const
  const refused = {
    401: { description: 'The admin token is missing or wrong' },
    403: { description: 'The instance runs in public mode and no admin token is configured' },
  }
  for (const verb of ['load', 'unload'] as const)
    app.post(
      `${basePath}/v1/${verb}_lora_adapter`,
      describe({
        ...change,
        summary: `${title}: ${verb} an adapter`,
        description:
          verb === 'load'
            ? `The model \`lora_name\` is served from then on; at most ${MAX_ADAPTERS}. \`lora_path\` has no meaning.`
            : 'The model `lora_name` is no longer served.',
        requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
        responses: { 200: { description: 'No content' }, 400: { description: '`invalid_adapter`' }, ...refused },
        examples: [
          {
            name: 'An adapter',
            method: 'POST',
            path: `${basePath}/v1/${verb}_lora_adapter`,
            body: '{"lora_name":"sql"}',
            bodyType: 'json',
            expectStatus: 200,
          },
        ],
      }),
      async (request, reply) => {
        svc.http.guardAdmin(request)
        const name = adapterIn(svc.http.body(request))
        if (verb === 'unload') await server.unload(name)
        else if (!(await server.load(name))) throw invalid('', `at most ${MAX_ADAPTERS} adapters are served`)
        return reply.send()
      },
    )
  for (const [path, summary, act] of [
    ['/sleep', 'sleep, which discards its prompt cache', () => server.sleep()],
    ['/wake_up', 'wake up', () => server.wake()],
  ] as const)
    app.post(
      `${basePath}${path}`,
      describe({
        ...change,
        summary: `${title}: ${summary}`,
        description: 'Without `sleep_mode` the provider never sleeps. Requests are served as usual meanwhile.',
        responses: { 200: { description: 'No content' }, ...refused },
        examples: [{ name: 'No content', method: 'POST', path: `${basePath}${path}`, expectStatus: 200 }],
      }),
      async (request, reply) => {
        svc.http.guardAdmin(request)
        await act()
        return reply.send()
      },
    )
  app.get(
    `${basePath}/is_sleeping`,
    describe({
      summary: `${title}: whether it sleeps`,
      category,
      area: 'http',
      responses: { 200: { description: '`is_sleeping`' } },
      examples: [{ name: 'State', path: `${basePath}/is_sleeping`, expectStatus: 200 }],
    }),
    (_request, reply) => reply.send({ is_sleeping: server.isAsleep }),
  )
}

function adapterIn(bytes: Buffer): string {
  const name = readJsonObject(bytes)?.lora_name
  if (typeof name === 'string' && name !== '' && name.length <= MAX_NAME) return name
  throw invalid('lora_name', `expected a JSON object with a name of at most ${MAX_NAME} characters`)
}

function invalid(at: string, details: string): HttpError {
  return new HttpError(400, { error: 'invalid_adapter', at, details })
}

/** A complete mock LLM provider with its own wire format: requests become jobs, which clients poll, follow, list and cancel. */
import { definePlugin } from 'svc/plugin'
import type { LlmProvider, LlmRoute, Providers } from 'svc/plugins/llm'
import { createJobs, type JobStore } from './jobs.ts'
import { cancelJob, createJob, followJob, getJob, listJobs } from './routes.ts'

export default definePlugin({
  title: 'Mock LLM: Dispatch',
  description: 'A provider whose replies are jobs.',
  paths: ['/ai/dispatch'],
  buildsOn: ['llm'],
  register(app, svc) {
    const llm = svc.use('llm.providers')!
    const jobs = createJobs(svc)
    // `POST /_svc/reset` with the kind `llm_state` removes the jobs, too.
    llm.addState(session => jobs.clear(session))
    llm.register(app, dispatch(llm, jobs))
    // `X-Svc-Fail: queue_full`, for all providers.
    llm.addFault({ kind: 'queue_full', like: 'overloaded', status: 503, message: 'The queue is full' })
  },
})

function dispatch({ engine }: Providers, jobs: JobStore): LlmProvider {
  return {
    id: 'dispatch',
    title: 'Dispatch',
    basePath: '/ai/dispatch',
    sdkPath: '/v1',
    credentials: [{ source: 'token', header: 'authorization', scheme: 'Token' }],
    models: [{ id: 'courier' }, { id: 'courier-echo' }],
    // Names in spans and metrics (`gen_ai.provider.name`).
    telemetry: { name: 'dispatch' },
    finishReasons: {
      stop: 'complete',
      stop_sequence: 'complete',
      length: 'cut',
      tool_calls: 'complete',
      content_filter: 'withheld',
      prompt_filter: 'withheld',
    },
    error: (kind, { status, message, param }) => ({
      status,
      body: { error: { kind, message, ...(param === undefined ? {} : { field: param }) } },
    }),
    unknownModel: 'There is no courier named {model}',
    routes: [
      createJob(engine, jobs) as LlmRoute,
      listJobs(engine, jobs),
      getJob(engine, jobs),
      followJob(engine, jobs),
      cancelJob(engine, jobs),
    ],
  }
}

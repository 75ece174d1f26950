/** The routes: one call of the model, and four that answer from what is kept. */
import type { ChatParsed, Engine, HandlerRoute, LlmRoute, RouteInput } from 'svc/plugins/llm'
import { shownAt, stateAt, timelineOf, type Job, type JobStore } from './jobs.ts'

/** Tokens of a reply: a timeline holds all of its events. `engine.schedule` makes the events of longer replies as they are read. */
const MAX_TOKENS = 4096
const PAGE = 20
/** Where the examples of the routes look for a job. */
const UNKNOWN = '/ai/dispatch/v1/jobs/unknown'

type Wire = { id: string }

/** The engine generates the complete reply, `keep` stores it with its plan, and the client gets the id at once. */
export function createJob(engine: Engine, jobs: JobStore): LlmRoute<ChatParsed<Wire>> {
  return {
    method: 'POST',
    path: '/v1/jobs',
    op: 'chat',
    describe: {
      summary: 'Dispatch: create a job',
      examples: [{ name: 'Hello', path: '/ai/dispatch/v1/jobs', json: { prompt: 'hello' }, expectStatus: 202 }],
    },
    parse(input) {
      const { prompt, model = input.defaultModel ?? 'courier', max_tokens: limit = MAX_TOKENS } = input.json()
      if (typeof prompt !== 'string') throw engine.badInput('expected text', { param: 'prompt' })
      if (typeof model !== 'string') throw engine.badInput('expected the name of a courier', { param: 'model' })
      const maxTokens = engine.json.countOf(limit)
      if (maxTokens === undefined || maxTokens < 1 || maxTokens > MAX_TOKENS)
        throw engine.badInput(`expected a whole number from 1 to ${MAX_TOKENS}`, { param: 'max_tokens' })
      return {
        op: 'chat',
        model,
        isBackground: true,
        wire: { id: `job_${engine.randomId(24)}` },
        request: {
          model,
          system: [],
          messages: [{ role: 'user', parts: [{ type: 'text', text: prompt }] }],
          tools: [],
          toolChoice: 'none',
          format: { type: 'none' },
          maxTokens,
          stop: [],
          n: 1,
        },
      }
    },
    async keep({ choices: [choice], promptTokens }, { model, wire }, context) {
      const job: Job = {
        model,
        text: choice!.text,
        end: context.finishReasons[choice!.finish],
        promptTokens,
        beganAt: context.nowMs,
        // Latency profiles, X-Svc-Tokens-Per-Second and faults in streams decide when the tokens are due.
        plan: context.plan(),
        canceledAt: null,
      }
      try {
        await jobs.of(context.provider, context.session).put(wire.id, job)
      } catch (error) {
        if ((error as Error).name !== 'RecordTooLong') throw error
        throw engine.badInput('the reply is too long to be kept', { kind: 'too_large' })
      }
    },
    render: (_result, { wire: { id } }) => ({ status: 202, body: { id, state: 'waiting' } }),
  }
}

export function listJobs(engine: Engine, jobs: JobStore): HandlerRoute {
  return {
    method: 'GET',
    path: '/v1/jobs',
    op: 'other',
    describe: {
      summary: 'Dispatch: the latest jobs',
      examples: [{ name: 'All', path: '/ai/dispatch/v1/jobs', expectStatus: 200 }],
    },
    async handle(input) {
      const now = Date.now()
      const found = await jobs.of(input.provider, input.session).list({ limit: PAGE, newestFirst: true })
      return {
        body: { jobs: found.map(({ id, value }) => ({ id, state: stateAt(timelineOf(engine, value), value, now) })) },
      }
    },
  }
}

/** Polling: the state and the text so far. */
export function getJob(engine: Engine, jobs: JobStore): HandlerRoute {
  return {
    method: 'GET',
    path: '/v1/jobs/{id}',
    op: 'other',
    describe: {
      summary: 'Dispatch: a job',
      examples: [{ name: 'Unknown', path: UNKNOWN, expectStatus: 404 }],
    },
    async handle(input) {
      const { id, job } = await jobOf(engine, jobs, input)
      const now = Date.now()
      const isOpen = ['waiting', 'running'].includes(stateAt(timelineOf(engine, job), job, now))
      return { body: shownAt(engine, id, job, now), ...(isOpen && { headers: { 'Retry-After': '1' } }) }
    },
  }
}

/** Following: what is due already is sent at once, the rest when it is due. */
export function followJob(engine: Engine, jobs: JobStore): HandlerRoute {
  return {
    method: 'GET',
    path: '/v1/jobs/{id}/events',
    op: 'other',
    describe: {
      summary: 'Dispatch: the events of a job',
      examples: [{ name: 'Unknown', path: `${UNKNOWN}/events`, expectStatus: 404 }],
    },
    framing: 'ndjson',
    asksForStream: () => true,
    async handle(input) {
      const { id, job } = await jobOf(engine, jobs, input)
      const timeline = timelineOf(engine, job)
      return {
        events: job.canceledAt === null ? timeline.events : timeline.due(job.canceledAt),
        ending: jobs.of(input.provider, input.session).ending(id),
      }
    },
  }
}

export function cancelJob(engine: Engine, jobs: JobStore): HandlerRoute {
  return {
    method: 'DELETE',
    path: '/v1/jobs/{id}',
    op: 'other',
    describe: {
      summary: 'Dispatch: cancel a job',
      examples: [{ name: 'Unknown', method: 'DELETE', path: UNKNOWN, expectStatus: 404 }],
    },
    async handle(input) {
      const { id } = await jobOf(engine, jobs, input)
      const now = Date.now()
      // `change` is pure, because it can run more than once. The same value: nothing changes, the job is over already.
      const job = await jobs.of(input.provider, input.session).change(id, found => {
        const isOpen = found.canceledAt === null && timelineOf(engine, found).endsAt > now
        return isOpen ? { ...found, canceledAt: now } : found
      })
      if (job === undefined) throw unknownJob(engine)
      return { body: shownAt(engine, id, job, now) }
    },
  }
}

async function jobOf(engine: Engine, jobs: JobStore, input: RouteInput): Promise<{ id: string; job: Job }> {
  const id = input.params.id ?? ''
  const job = await jobs.of(input.provider, input.session).get(id)
  if (job === undefined) throw unknownJob(engine)
  return { id, job }
}

function unknownJob(engine: Engine): Error {
  return engine.badInput('There is no such job', { kind: 'not_found' })
}

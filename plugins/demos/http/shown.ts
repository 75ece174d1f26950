/** Demos and runs as the routes show them, with their schemas. */
import type { Svc } from 'svc/plugin'
import { ANY, BOOLEAN, INTEGER, jsonReply, list, NUMBER, nullable, object, RECORD, TEXT, typed } from 'svc/toolkit'
import type { ListedDemo } from '../catalog/catalog.ts'
import type { Demo } from '../file/demo.ts'
import type { ServerRun } from './server-run.ts'

const SUMMARY = {
  demo: TEXT,
  title: TEXT,
  area: TEXT,
  shows: TEXT,
  feature: TEXT,
  minutes: NUMBER,
  gateways: list(TEXT),
  lanes: list(TEXT),
  variables: RECORD,
  available: BOOLEAN,
  reason: nullable(TEXT),
  source: TEXT,
}

export const DEMOS_REPLY = jsonReply(object({ demos: list(typed('DemoSummary', object(SUMMARY))) }), 'Demos')
export const DEMO_REPLY = jsonReply(
  object({
    ...SUMMARY,
    gateways: RECORD,
    files: RECORD,
    route: RECORD,
    needs: list(TEXT),
    settings: RECORD,
    mocks: RECORD,
    tokens: RECORD,
    presenter: TEXT,
    learn: list(TEXT),
    control: TEXT,
    steps: list(RECORD),
    warnings: list(TEXT),
  }),
  'Demo',
)
export const VALID_REPLY = jsonReply(object({ valid: BOOLEAN, warnings: list(TEXT) }), 'DemoCheck')
const RUN = {
  id: TEXT,
  url: TEXT,
  events: TEXT,
  session: TEXT,
}
export const STARTED_REPLY = jsonReply(object(RUN), 'StartedDemoRun')
const PROGRESS = object({
  ...RUN,
  demo: TEXT,
  target: TEXT,
  state: TEXT,
  error: nullable(TEXT),
  step: nullable(INTEGER),
  steps: INTEGER,
  started_at: TEXT,
})
export const PROGRESS_REPLY = jsonReply(PROGRESS, 'DemoRunProgress')
export const RUNS_REPLY = jsonReply(object({ targets: list(TEXT), runs: list(PROGRESS) }), 'DemoRuns')
export const REPORT_REPLY = jsonReply(
  object({
    svc_demo: INTEGER,
    state: TEXT,
    step: nullable(INTEGER),
    error: nullable(TEXT),
    run: RECORD,
    svc: RECORD,
    target: RECORD,
    summary: RECORD,
    demos: list(
      object({ demo: TEXT, title: TEXT, verdict: TEXT, reason: nullable(TEXT), control: ANY, steps: list(RECORD) }),
    ),
  }),
  'DemoReport',
)

/** Why a demo cannot be started here: the first plugin that it needs and that is off; null if it can. */
export function missing({ needs }: Pick<Demo, 'needs'>, svc: Pick<Svc, 'instance'>): string | null {
  const enabled = new Set(
    svc.instance
      .plugins()
      .filter(({ state }) => state === 'enabled')
      .map(({ name }) => name),
  )
  const off = needs.find(name => !enabled.has(name))
  return off === undefined ? null : `plugin ${off} is off`
}

/** A demo in the list. */
export function demoSummary({ demo, source }: ListedDemo, reason: string | null): Record<string, unknown> {
  return {
    demo: demo.demo,
    title: demo.title,
    area: demo.area,
    shows: demo.shows,
    feature: demo.feature,
    minutes: demo.minutes,
    gateways: Object.keys(demo.gateways),
    lanes: demo.lanes,
    variables: demo.variables,
    available: reason === null,
    reason,
    source,
  }
}

/** The whole file with defaults; texts are as written. */
export function wholeDemo(listed: ListedDemo, reason: string | null): Record<string, unknown> {
  const { demo } = listed
  return {
    ...demoSummary(listed, reason),
    gateways: demo.gateways,
    files: demo.files,
    route: demo.rawRoute,
    needs: demo.needs,
    settings: demo.settings,
    mocks: demo.mocks,
    tokens: demo.tokens,
    presenter: demo.presenter,
    learn: demo.learn,
    control: demo.control,
    steps: demo.steps,
    warnings: demo.warnings,
  }
}

/** `pathOf`: the path of something of the run, as clients reach it. */
export function shownRun(run: ServerRun, pathOf: (more: string) => string): Record<string, unknown> {
  return {
    ...startedRun(run, pathOf),
    demo: run.request.demo.demo,
    target: run.request.target?.url ?? 'direct',
    state: run.state,
    error: run.error,
    step: run.step,
    steps: run.request.demo.steps.length,
    started_at: run.startedAt.toISOString(),
  }
}

export function startedRun({ id }: ServerRun, pathOf: (more: string) => string): Record<string, unknown> {
  return { id, url: pathOf(''), events: pathOf('/events'), session: id }
}

/** Implements `svc.mediaTypes.follow`: inspector entries and fault headers for calls outside the pipeline. */
import { STATUS_CODES } from 'node:http'
import type { Config } from '../../config/variables.ts'
import type { AnyRequest } from '../../contract/plugin.ts'
import type { CallFailure, MediaTypeCall } from '../../contract/calls.ts'
import type { CompletionReader } from '../../http/pipeline/completion-batch.ts'
import { CallObserver } from '../../http/pipeline/stages/observation.ts'
import type { RuleServices } from '../../http/pipeline/stage.ts'
import { expectationFailure } from '../../http/pipeline/stages/expectation.ts'
import { waitFor } from '../../http/request/delay.ts'
import { delayOf, messageOf, sourceOf } from '../../http/pipeline/rules/acting.ts'
import { takeRuleOfCall } from '../../http/pipeline/stages/rules.ts'
import { breakConnection } from '../../http/response/connection-faults.ts'
import { contextOf, type RequestContext } from '../../http/request/context.ts'
import { firstHeader } from '../../http/request/header.ts'
import { defaultHeaders } from '../../http/response/default-headers.ts'
import { grpcStatusOf } from '../../toolkit/grpc-status.ts'
import type { Log } from '../../log/log.ts'
import type { Inspector } from '../../inspector/inspector.ts'
import { EXPECTED, isDelay, parseDelay, parseFail, rollPercent } from '../../rules/fault-headers.ts'

const CANCELLED = 1
const LEFT: CallFailure = { grpcStatus: CANCELLED, message: 'the client disconnected' }

export interface CallServices {
  config: Config
  inspector: Inspector
  report: CompletionReader
  log: Log
  rules: RuleServices
}

/** Creates the function behind `svc.mediaTypes.follow`. */
export function createCallFollower({
  config,
  inspector,
  report,
  log,
  rules,
}: CallServices): (plugin: string, request: AnyRequest) => MediaTypeCall {
  const observer = new CallObserver(report, config.loadMode ? null : log)
  return (plugin, request) => {
    const context = contextOf(request)
    context.call = plugin
    context.isCaptured = inspector.captures(context.path, context.session.header)
    context.observer = observer
    return {
      refuse() {
        context.isRefused = true
      },
      async injectFaults({ isServed = true } = {}) {
        const failure =
          (await expectationOf(context, rules)) ??
          (await faultOf(context, config.maxDelayMs)) ??
          (await ruleFaultOf(context, rules))
        context.isRouted = isServed && failure === null
        return failure
      },
      sendHead(status) {
        context.headGoesOut(status)
        return defaultHeaders(context) as Record<string, string | string[]>
      },
      end(grpcStatus) {
        context.grpcStatus = grpcStatus
      },
    }
  }
}

const INVALID_ARGUMENT = 3
const FAILED_PRECONDITION = 9

/** The call does not meet its expectation, or that can't be read; the body of the call is never read. */
async function expectationOf(context: RequestContext, rules: RuleServices): Promise<CallFailure | null> {
  const failure = await expectationFailure(context, rules, false)
  if (failure === null) return null
  return {
    grpcStatus: failure.status === 417 ? FAILED_PRECONDITION : INVALID_ARGUMENT,
    message: JSON.stringify(failure.body),
  }
}

/** Applies the rules stored for the call. A response has the gRPC status of its HTTP status. */
async function ruleFaultOf(context: RequestContext, rules: RuleServices): Promise<CallFailure | null> {
  const taken = await takeRuleOfCall(context, rules)
  if (taken === null) return null
  const { entry, step } = taken
  const delayMs = delayOf(taken, rules.config.maxDelayMs)
  if (delayMs > 0) {
    context.injects('delay', sourceOf(entry), 'rule')
    if (!(await waitFor(context, delayMs))) return LEFT
  }
  const { action } = step
  switch (action.kind) {
    case 'fail':
      context.injects('fail', sourceOf(entry), 'rule')
      return { grpcStatus: grpcStatusOf(action.status), message: messageOf(action, entry) }
    case 'abort':
      context.injects('abort', sourceOf(entry), 'rule')
      breakConnection(context, action.fault, 100)
      return { grpcStatus: CANCELLED, message: 'the connection was broken by a rule' }
    case 'respond':
      return {
        grpcStatus: grpcStatusOf(action.respond.status),
        message: `the rule ${entry.rule.name} responds with HTTP status ${action.respond.status}`,
      }
    default:
      return null
  }
}

/** Applies the delay, then the failure, as in the pipeline. */
async function faultOf(context: RequestContext, maxDelayMs: number): Promise<CallFailure | null> {
  const delay = firstHeader(context.request, 'x-svc-delay')
  if (delay !== undefined && !isDelay(delay)) context.ignore('X-Svc-Delay', EXPECTED.delay)
  const delayMs = parseDelay(delay, maxDelayMs)
  if (delayMs > 0) {
    context.injects('delay', `X-Svc-Delay: ${delayMs}`, 'header')
    if (!(await waitFor(context, delayMs))) return LEFT
  }
  const header = firstHeader(context.request, 'x-svc-fail')
  const fail = parseFail(header)
  if (header !== undefined && fail === null) context.ignore('X-Svc-Fail', EXPECTED.fail)
  if (fail === null || !rollPercent(fail.percent)) return null
  context.injects('fail', `X-Svc-Fail: ${header!.trim()}`, 'header')
  return {
    grpcStatus: grpcStatusOf(fail.status),
    message: `injected fault: ${fail.status} ${STATUS_CODES[fail.status] ?? 'Error'}, requested by x-svc-fail`,
  }
}

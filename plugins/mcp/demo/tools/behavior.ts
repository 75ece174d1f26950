/** Owns the tools for slow calls, errors and large results. */
import type { Bounds } from '../../bounds.ts'
import { CODES } from '../../errors.ts'
import type { ToolDefinition } from '../../types.ts'
import { defineTool, fail, textResult } from './define.ts'

export function behaviorTools(bounds: Bounds): ToolDefinition[] {
  const slowTask = defineTool<{ duration_ms: number; steps: number }>({
    name: 'slow_task',
    title: 'Slow task',
    description: 'Runs for a while and sends progress and log messages after each step. Can be canceled.',
    input: {
      duration_ms: {
        type: 'number',
        minimum: 0,
        default: 3000,
        description: `Total duration in milliseconds, at most ${bounds.slowTaskMs}`,
      },
      steps: { type: 'integer', minimum: 1, maximum: 100, default: 5 },
    },
    output: { steps: { type: 'integer' }, durationMs: { type: 'number' }, completed: { type: 'boolean' } },
    async call({ duration_ms, steps }, context) {
      const durationMs = Math.min(duration_ms, bounds.slowTaskMs)
      context.log('info', { event: 'started', steps, durationMs })
      for (let step = 1; step <= steps; step++) {
        await context.sleep(durationMs / steps)
        context.progress(step, steps, `step ${step}/${steps}`)
        context.log('info', { event: 'step', step, steps })
      }
      return textResult(`Completed ${steps} steps in ${durationMs} ms.`, { steps, durationMs, completed: true })
    },
  })

  const largeOutput = defineTool<{ kb: number }>({
    name: 'large_output',
    title: 'Large output',
    description: 'Returns a text of the given size.',
    input: {
      kb: {
        type: 'integer',
        minimum: 1,
        default: 64,
        description: `Size in kilobytes (1024 bytes), at most ${bounds.largeOutputKb}`,
      },
    },
    call: ({ kb }) => textResult(filler(Math.min(kb, bounds.largeOutputKb) * 1024)),
  })

  return [slowTask, failTool, throwTool, largeOutput]
}

const failTool = defineTool<{ message?: string }>({
  name: 'fail',
  title: 'Fail',
  description: 'Returns a tool error.',
  input: { message: { type: 'string', description: 'The error text' } },
  call: ({ message }) => fail(message || 'This tool always fails.'),
})

const throwTool = defineTool<{ code: number; message?: string }>({
  name: 'throw',
  title: 'Throw',
  description: 'Returns a JSON-RPC error instead of a result.',
  input: {
    code: { type: 'integer', default: CODES.internal, description: 'JSON-RPC error code' },
    message: { type: 'string' },
  },
  call({ code, message }, context) {
    const isUsable = (code >= -32768 && code <= -32000) || (code >= 1 && code <= 999_999)
    throw context.rpcError(isUsable ? code : CODES.internal, message?.slice(0, 200) || 'This tool always throws.', {
      tool: 'throw',
    })
  },
})

const SENTENCE = 'The quick brown fox jumps over the lazy dog. '

function filler(length: number): string {
  return SENTENCE.repeat(Math.ceil(length / SENTENCE.length)).slice(0, length)
}

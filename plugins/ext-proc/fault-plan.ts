/** What faults change that decide in place of the processor. */
import type { OutputBudget } from 'svc/plugin'
import { append } from './bodies/pieces.ts'
import { PROC_HEADER, type ProcFault } from './fault-header.ts'
import type { Plan } from './plan.ts'

const IMMEDIATE = 'immediate response by svc'
const REASON = `requested by ${PROC_HEADER}`

/** Null for faults that leave the processor as it is. `output` is for what is appended; it throws its errors. */
export function faultPlan(fault: ProcFault, output: OutputBudget): Plan | null {
  switch (fault.kind) {
    case 'immediate':
      return {
        by: 'header',
        headers: () => ({
          kind: 'immediate',
          status: fault.status,
          head: { set: [['content-type', 'text/plain; charset=utf-8']] },
          body: Buffer.from(IMMEDIATE),
          grpcStatus: null,
          details: 'immediate',
          reason: REASON,
        }),
      }
    case 'grow': {
      output.take(fault.bytes)
      return {
        by: 'header',
        body: () => ({ kind: 'pieces', pieces: append(Buffer.alloc(fault.bytes, 'g')) }),
      }
    }
    case 'bad-header':
      return {
        by: 'header',
        // Once: what gateways do with the first of them is what is tested.
        headers: ({ side }) =>
          side === 'response'
            ? null
            : {
                kind: 'changes',
                reason: REASON,
                head: {
                  set: [
                    [':method', 'POST'],
                    ['host', 'bad-header.test'],
                    ['bad name', 'value'],
                  ],
                },
              },
      }
    default:
      return null
  }
}

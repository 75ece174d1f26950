/** Owns the approval agent: it asks for a decision until it understands the answer. */
import type { AgentDefinition, AgentContext, Step } from '../types.ts'
import { textOf } from './text.ts'

const DENIALS = new Set(['deny', 'denied', 'no', 'not', 'reject', 'rejected', 'decline', 'declined'])
const APPROVALS = new Set(['approve', 'approved', 'yes', 'ok', 'confirm', 'confirmed'])

export const approval: AgentDefinition = {
  id: 'approval',
  name: 'Approval Agent',
  description: 'Asks a person to approve or deny a request before it completes',
  inputModes: ['text/plain'],
  outputModes: ['text/plain', 'application/json'],
  skills: [
    {
      id: 'expense-approval',
      name: 'Expense approval',
      description: 'Needs a follow-up: approve or deny',
      tags: ['human-in-the-loop', 'approval'],
      examples: ['Expense report of 420 euro', 'approve'],
    },
  ],
  steps(message, context) {
    const afterMs = context.stepDelayMs(50)
    if (!context.isFollowUp) {
      return [
        { afterMs, state: 'WORKING', text: 'Checking the request' },
        { state: 'INPUT_REQUIRED', text: 'A decision is needed: answer approve or deny' },
      ]
    }
    const isApproved = decisionIn(textOf(message))
    if (isApproved === null)
      return [{ afterMs, state: 'INPUT_REQUIRED', text: 'That is not a decision: answer approve or deny' }]
    return decide(isApproved, afterMs, context)
  },
}

/** Matches whole words; a denial wins ("no, do not approve"). Null when the text contains neither. */
function decisionIn(text: string): boolean | null {
  const words = text.toLowerCase().split(/[^a-z]+/)
  if (words.some(word => DENIALS.has(word))) return false
  return words.some(word => APPROVALS.has(word)) ? true : null
}

/** A denial also completes the task, because the decision is the result. */
function* decide(isApproved: boolean, afterMs: number, { task }: AgentContext): Generator<Step> {
  yield { afterMs, state: 'WORKING', text: 'Writing down the decision' }
  const asked = task.history.filter(message => message.role === 'user')
  const data = {
    request: asked[0] ? textOf(asked[0]) : '',
    approved: isApproved,
    decidedAt: new Date().toISOString(),
    turns: asked.length,
  }
  yield {
    afterMs,
    artifact: { artifactId: 'decision', name: 'decision', parts: [{ data, mediaType: 'application/json' }] },
  }
  yield { state: 'COMPLETED', text: isApproved ? 'The request was approved' : 'The request was denied' }
}

/** `GET /orchestration/status`: describes the steps. */
import { describe, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { PIPELINE, STEPS } from '../steps.ts'
import { ORCHESTRATION_STATUS } from '../replies.ts'

const status: RouteDescription = {
  category: 'Orchestration',
  summary: 'Describe the steps',
  reply: ORCHESTRATION_STATUS,
  negotiated: true,
  responses: { 200: { description: 'Input and output of each step' } },
  examples: [{ name: 'Steps', path: '/orchestration/status', expectStatus: 200 }],
}

export function registerStatus(app: FastifyInstance, svc: Svc): void {
  app.get('/orchestration/status', describe(status), (request, reply) =>
    svc.http.negotiate(request, reply, { description: PIPELINE, steps: STEPS }),
  )
}

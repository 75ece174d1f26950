/** The catalog over HTTP. */
import { describe, refusal, type FastifyInstance } from 'svc/plugin'
import { nearest } from 'svc/toolkit'
import { listedCheck } from '../catalog/listed-check.ts'
import { CATALOGUE } from '../catalog/version.ts'
import { catalogWith } from '../checks/custom/registry.ts'
import { pageOf } from '../report/check-page.ts'
import type { ProbeChecks } from '../types.ts'
import { SVC_PROBE_CHECKS, SVC_PROBE_CHECK } from '../replies.ts'

const CATEGORY = 'Testing'

interface CheckParams {
  Params: { id: string }
}

export function registerChecks(app: FastifyInstance, checks: ProbeChecks): void {
  app.get(
    '/_svc/probe/checks',
    describe({
      summary: 'List the checks of the probe',
      reply: SVC_PROBE_CHECKS,
      category: CATEGORY,
      responses: { 200: { description: 'The catalog, as `svc probe list --json` prints it' } },
      examples: [{ name: 'Checks', path: '/_svc/probe/checks', expectStatus: 200 }],
    }),
    () => ({ catalogue: CATALOGUE, checks: catalogWith(checks).map(listedCheck) }),
  )

  app.get<CheckParams>(
    '/_svc/probe/checks/:id',
    describe({
      summary: 'Explain a check of the probe',
      reply: SVC_PROBE_CHECK,
      category: CATEGORY,
      parameters: [
        { name: 'id', in: 'path', required: true, description: 'Id of the check', schema: { type: 'string' } },
      ],
      responses: {
        200: {
          description:
            'The page of the check: what is sent and expected, why it matters, a finding, how gateways are configured, and what the comparison found',
        },
        404: { description: 'No such check' },
      },
      examples: [{ name: 'A check', path: '/_svc/probe/checks/HDR-CONN', expectStatus: 200 }],
    }),
    request => {
      const { id } = request.params
      const catalog = catalogWith(checks)
      const check = catalog.find(one => one.id === id)
      if (check !== undefined) return { ...listedCheck(check), page: pageOf(check) }
      const guess = nearest(
        id,
        catalog.map(one => one.id),
      )
      throw refusal(404, 'unknown_check', guess === undefined ? 'no check has this id' : `did you mean ${guess}?`)
    },
  )
}

/** The catalog over HTTP. */
import { describe, refusal } from 'svc/plugin'
import { nearest } from 'svc/toolkit'
import type { FastifyInstance } from 'svc/plugin'
import { listedCheck } from './listed-check.ts'
import { CATALOGUE } from './version.ts'
import { catalogWith } from '../checks/custom/registry.ts'
import type { ProbeChecks } from '../types.ts'

const CATEGORY = 'Testing'

interface CheckParams {
  Params: { id: string }
}

export function registerChecks(app: FastifyInstance, checks: ProbeChecks): void {
  app.get(
    '/_svc/probe/checks',
    describe({
      summary: 'List the checks of the probe',
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
      category: CATEGORY,
      parameters: [
        { name: 'id', in: 'path', required: true, description: 'Id of the check', schema: { type: 'string' } },
      ],
      responses: {
        200: { description: 'What is sent and expected, why it matters, and how gateways are configured' },
        404: { description: 'No such check' },
      },
      examples: [{ name: 'A check', path: '/_svc/probe/checks/HDR-CONN', expectStatus: 200 }],
    }),
    request => {
      const { id } = request.params
      const catalog = catalogWith(checks)
      const check = catalog.find(one => one.id === id)
      if (check !== undefined) return { ...listedCheck(check), page: check.page }
      const guess = nearest(
        id,
        catalog.map(one => one.id),
      )
      throw refusal(404, 'unknown_check', guess === undefined ? 'no check has this id' : `did you mean ${guess}?`)
    },
  )
}

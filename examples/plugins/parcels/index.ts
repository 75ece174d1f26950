/** What a definition can declare: variables, an exempt path, a protocol, a fault, a header, a category, a link. */
import { definePlugin, describe, list, refusal, text, wholeNumber } from 'svc/plugin'

export default definePlugin({
  title: 'Parcels',
  description: 'Says in which depot a parcel is.',
  paths: ['/parcels'],
  // Environment variables. An invalid value is a warning, and the default is used.
  variables: {
    depots: {
      name: 'SVC_PARCELS_DEPOTS',
      parser: list(),
      default: ['north', 'south'],
      shownAs: 'parcels.depots',
      description: 'Names of the depots.',
    },
    lastId: {
      name: 'SVC_PARCELS_LAST_ID',
      parser: wholeNumber(1, 1_000_000),
      default: 100,
      shownAs: 'parcels.last_id',
      description: 'Highest number of a parcel.',
    },
    token: {
      name: 'SVC_PARCELS_TOKEN',
      parser: text,
      default: null,
      secret: true,
      shownAs: 'parcels.token_configured',
      description: 'Token that the route for deliveries asks for.',
    },
  },
  resolveVariables: ({ depots, lastId }) =>
    depots.length > lastId ? ['SVC_PARCELS_LAST_ID leaves depots without a parcel'] : [],
  // The core leaves this path alone.
  exempt: [
    {
      path: '/parcels/alive',
      from: ['faults', 'limits', 'keys', 'inspector'],
      reason: 'Probes ask every second; tests of the other routes must not make them fail.',
    },
  ],
  // In svc_protocol_requests_total and svc_faults_injected_total.
  area: 'parcels',
  faultKinds: ['lost'],
  // What scripts of other origins may read.
  exposes: ['X-Parcel-Depot'],
  // In the catalog, and on the landing page: behind "Echo & Reflection" (10), before "Status Codes" (20).
  categories: [{ name: 'Parcels', rank: 15 }],
  links: [{ href: 'parcels/alive', text: 'Do parcels move?' }],
  register(app, svc) {
    const { depots, lastId } = svc.variables

    app.get(
      '/parcels/alive',
      describe({
        summary: 'Whether parcels move',
        category: 'Parcels',
        examples: [{ name: 'Alive', path: '/parcels/alive', expectStatus: 200 }],
      }),
      () => ({ alive: true }),
    )

    app.get<{ Params: { id: string } }>(
      '/parcels/:id',
      describe({
        summary: 'A parcel',
        category: 'Parcels',
        ownFail: true,
        examples: [{ name: 'The first', path: '/parcels/1', expectStatus: 200 }],
      }),
      (request, reply) => {
        const id = Number(request.params.id)
        if (!(id >= 1 && id <= lastId)) throw refusal(404, 'no_such_parcel', `expected a number from 1 to ${lastId}`)
        if (request.headers['x-svc-fail'] === 'lost') {
          svc.http.markFault(request, reply, 'lost')
          throw refusal(410, 'parcel_lost', 'the parcel was lost, as X-Svc-Fail asks')
        }
        return reply.header('X-Parcel-Depot', depots[id % depots.length]).send({ id })
      },
    )
  },
})

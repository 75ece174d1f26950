/** Declarations of a plugin: variables, an exempt path, an area, a fault, an exposed header, a category and a link. */
import { definePlugin, describe, list, refusal, text, wholeNumber } from 'svc/plugin'

export default definePlugin({
  title: 'Parcels',
  description: 'Tells in which depot a parcel is.',
  paths: ['/parcels'],
  // Environment variables. An invalid value causes a warning, and the default is used.
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
      description: 'Highest parcel number.',
    },
    token: {
      name: 'SVC_PARCELS_TOKEN',
      parser: text,
      default: null,
      secret: true,
      shownAs: 'parcels.token_configured',
      description: 'Token that deliveries require.',
    },
  },
  resolveVariables: ({ depots, lastId }) =>
    depots.length > lastId ? ['SVC_PARCELS_LAST_ID is less than the number of depots'] : [],
  // Faults, limits, API keys and the inspector do not apply to this path.
  exempt: [
    {
      path: '/parcels/alive',
      from: ['faults', 'limits', 'keys', 'inspector'],
      reason: 'Health checks run every second and must not fail because of tests of the other routes.',
    },
  ],
  // Label in svc_protocol_requests_total.
  area: 'parcels',
  // Failures that `X-Svc-Fail: lost`, rules and the console request; labels in svc_faults_injected_total.
  faults: { lost: { status: 410, code: 'parcel_lost', message: 'The parcel is lost' } },
  // Response headers that scripts of other origins may read.
  exposes: ['X-Parcel-Depot'],
  // Position in the catalog and on the landing page: between "Echo & Reflection" (10) and "Status Codes" (20).
  categories: [{ name: 'Parcels', rank: 15 }],
  links: [{ href: 'parcels/alive', text: 'Parcel service status' }],
  register(app, svc) {
    const { depots, lastId } = svc.variables

    app.get(
      '/parcels/alive',
      describe({
        summary: 'Status of the parcel service',
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
        examples: [{ name: 'First parcel', path: '/parcels/1', expectStatus: 200 }],
      }),
      (request, reply) => {
        const id = Number(request.params.id)
        if (!(id >= 1 && id <= lastId)) throw refusal(404, 'no_such_parcel', `expected a number from 1 to ${lastId}`)
        return reply.header('X-Parcel-Depot', depots[id % depots.length]).send({ id })
      },
    )
  },
})

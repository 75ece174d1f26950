/** The plugin `gateway-services`: what the services share that a gateway calls, and the list of them. */
import { definePlugin, describe } from 'svc/plugin'
import { jsonReply, list, object, RECORD, TEXT } from 'svc/toolkit'
import { serviceSteps } from './service-steps.ts'
import { ENDPOINT_PATTERN, Endpoints, MAX_ENDPOINTS, registerEndpoints } from './endpoints.ts'
import { serviceProtocol } from './match.ts'
import { Services, type ServicesOptions } from './services.ts'

export default definePlugin<ServicesOptions>({
  title: 'Services of gateways',
  description: 'Rules, records and metrics for the services that gateways call, such as an authorization service.',
  paths: ['/_svc/services'],
  section: 'services',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      by_header: {
        type: 'boolean',
        default: true,
        description: 'Whether headers of the checked request, such as `X-Svc-Authz`, decide when no rule does.',
      },
      endpoints: {
        type: 'array',
        maxItems: MAX_ENDPOINTS,
        default: [],
        description: 'The endpoints that services pick from, as `host:port`.',
        items: { type: 'string', pattern: ENDPOINT_PATTERN },
      },
    },
  },
  register(app, svc) {
    const services = new Services(svc)
    const endpoints = new Endpoints(svc)
    svc.offer('gateway-services.services', {
      service: kind => services.add(kind),
      endpoints: () => endpoints.current(),
      onEndpoints: listener => endpoints.onChange(listener),
    })
    svc.use('testing.protocols').register(serviceProtocol(() => services.list()))
    for (const step of serviceSteps(() => services.list())) svc.use('testing.steps').register(step)
    app.get(
      '/_svc/services',
      describe({
        summary: 'List the services that gateways call',
        category: 'Control Plane',
        reply: jsonReply(object({ services: list(RECORD), endpoints: list(TEXT) }), 'GatewayServices'),
        responses: {
          200: {
            description:
              '`services`: names, paths, policies, and how often each was called; `endpoints`: what they pick from',
          },
        },
        examples: [{ name: 'List', path: '/_svc/services', expectStatus: 200 }],
      }),
      () => ({
        services: services.list().map(kind => ({
          name: kind.name,
          grpc: kind.grpc,
          http: kind.http,
          policies: kind.policies,
          calls: services.callsOf(kind),
        })),
        endpoints: endpoints.current(),
      }),
    )
    registerEndpoints(app, svc, endpoints)
  },
})

/** What the services that gateways call promise. */
export default [
  {
    id: 'GWS-1',
    rule: 'The checked request is read from the headers or the path in which each gateway carries it; these headers are not part of it.',
    where: 'gateway-services 2',
  },
  {
    id: 'GWS-2',
    rule: 'Policies decide as documented, and hand on identity headers that a client cannot bring itself.',
    where: 'gateway-services 2, 3',
  },
  {
    id: 'GWS-3',
    rule: 'X-Svc-Authz of the checked request decides when no rule does, and is refused if it cannot be read.',
    where: 'gateway-services 1, 3',
  },
  {
    id: 'GWS-4',
    rule: 'Rules with match.service act on checked requests only, other rules never do, and steps that cannot act are refused when stored.',
    where: 'gateway-services 1',
  },
  {
    id: 'GWS-5',
    rule: 'Calls are recorded with the checked request, without credentials, found by filters and verification, and joined with what arrived.',
    where: 'gateway-services 1',
  },
  {
    id: 'GWS-6',
    rule: 'Authorization/Check answers every decision, error and fault in the terms of envoy.service.auth.v3.',
    where: 'gateway-services 3',
  },
  {
    id: 'GWS-7',
    rule: 'Rate limits match, count and answer as those of the reference service; each session has its own counters.',
    where: 'gateway-services 5',
  },
  {
    id: 'GWS-8',
    rule: 'Domains come from svc.yaml, its files and HTTP; what is wrong is reported with its place and left out.',
    where: 'gateway-services 5',
  },
  {
    id: 'GWS-9',
    rule: 'ShouldRateLimit has the field numbers of envoy.service.ratelimit.v3, and refuses wrong calls in the words of the reference service.',
    where: 'gateway-services 5, 11',
  },
  {
    id: 'GWS-10',
    rule: 'The entry svc of a descriptor and rules decide about rate limits, and end calls as asked.',
    where: 'gateway-services 1, 5',
  },
  {
    id: 'GWS-11',
    rule: 'Calls of the rate-limit service are recorded, found by domain and descriptor, and joined with what arrived.',
    where: 'gateway-services 1, 5',
  },
  {
    id: 'GWS-12',
    rule: 'Replicas count together, and know domains that were stored over HTTP before the response to that.',
    where: 'gateway-services 1, 5; replicas 3.1',
  },
  {
    id: 'GWS-13',
    rule: 'The REST API of the Open Policy Agent answers the policies as documents, with its own errors, and each query is a call of authz.',
    where: 'gateway-services 3',
  },
  {
    id: 'GWS-14',
    rule: 'Endpoints that services pick from come from svc.yaml or the control plane, and are the same on all replicas.',
    where: 'gateway-services 1, 4',
  },
  {
    id: 'GWS-15',
    rule: 'ExtMcp has the field numbers of agentgateway; policies, rules and headers pass, deny and change methods and results.',
    where: 'gateway-services 6',
  },
]

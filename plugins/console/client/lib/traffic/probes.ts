/** Health checks of gateways, balancers and clusters, which come every few seconds and bury everything else. */
import { headerOf, type Entry } from '../protocol/http.ts'

/** How well-known checkers name themselves. */
const CHECKERS =
  /^(?:kube-probe\/|ELB-HealthChecker\/|GoogleHC\/|Envoy\/HC|Consul Health Check|Edge Health Probe|Load Balancer Agent|Amazon-Route53-Health-Check)/i

export function isHealthProbe({ method, path, headers }: Entry): boolean {
  if (path === '/health' && (method === 'GET' || method === 'HEAD')) return true
  return CHECKERS.test(headerOf(headers, 'user-agent') ?? '')
}

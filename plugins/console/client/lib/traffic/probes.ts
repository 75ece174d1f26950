/** Detects health checks of gateways, load balancers and clusters, which would flood the live traffic. */
import { headerOf, type Entry } from '../protocol/http.ts'

/** User agents of well-known health checkers. */
const CHECKERS =
  /^(?:kube-probe\/|ELB-HealthChecker\/|GoogleHC\/|Envoy\/HC|Consul Health Check|Edge Health Probe|Load Balancer Agent|Amazon-Route53-Health-Check)/i

export function isHealthProbe({ method, path, headers }: Entry): boolean {
  if (path === '/health' && (method === 'GET' || method === 'HEAD')) return true
  return CHECKERS.test(headerOf(headers, 'user-agent') ?? '')
}

/** Configuration of Prometheus: a job that scrapes this instance. */
import type { Format, Selection } from '../format.ts'
import { writeYaml } from '../yaml.ts'

const METRICS = '/_svc/metrics'
const CREDENTIALS = ' authorization:\n   type: Bearer\n   credentials: <admin token>'

/** The format; with `needsToken` the control plane requires a credential, which is added as a comment. */
export function prometheus({ needsToken }: { needsToken: boolean }): Format {
  return {
    id: 'prometheus',
    title: 'Prometheus',
    description: 'A scrape_configs entry that collects the metrics of this instance.',
    file: 'prometheus.yml',
    mediaType: 'application/yaml',
    filename: 'svc-prometheus.yml',
    write: selection =>
      writeYaml(
        { scrape_configs: listJobs(selection) },
        needsToken ? { at: ['scrape_configs', 0], text: CREDENTIALS } : undefined,
      ),
  }
}

function listJobs({ baseUrl, endpoints }: Selection): object[] {
  if (!endpoints.some(({ path }) => path === METRICS)) return []
  const { protocol, hostname, port, pathname } = new URL(baseUrl)
  const scheme = protocol.slice(0, -1)
  return [
    {
      job_name: 'svc',
      scheme,
      metrics_path: pathname.replace(/\/$/, '') + METRICS,
      static_configs: [{ targets: [`${hostname}:${port || (scheme === 'https' ? '443' : '80')}`] }],
    },
  ]
}

/** Whether a host in lower case matches a pattern: a host, `*.` and a domain, or `*`. */
export function matchesHost(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase()
  return wanted === '*' || wanted === host || (wanted.startsWith('*.') && host.endsWith(wanted.slice(1)))
}

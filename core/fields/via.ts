/** The field `Via` (RFC 9110, 7.6.3): the servers that a message has passed. */

/** The name of this instance in `Via`; ids may have characters that a token can't have. */
export function viaName(instanceId: string): string {
  return `svc-${instanceId.replaceAll(/[^\w.-]/g, '-')}`
}

/** Whether a message has passed a server of this name. */
export function hasPassed(via: string | string[] | undefined, name: string): boolean {
  return [via ?? []]
    .flat()
    .flatMap(value => value.split(','))
    .some(entry => entry.trim().split(/[ \t]{1,10}/)[1] === name)
}

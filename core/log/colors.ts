/** Whether an output takes colours: a terminal that has them, unless `NO_COLOR` is set (which `hasColors` minds). */
export function takesColours(output: { isTTY?: boolean; hasColors?(): boolean }): boolean {
  return output.isTTY === true && output.hasColors?.() !== false
}

/** Port numbers in text. */

/** Whether a text is a port number from 1 to 65535, in decimal digits. */
export function isPort(text: string): boolean {
  return text.length <= 5 && /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535
}

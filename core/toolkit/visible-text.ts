/** Text from another program for a person to read: no control character reaches the terminal or a file. */
export function visible(text: string): string {
  return text.replaceAll(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u001f\u007f-\u009f]/g,
    character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

/** The same for several lines: CR LF ends a line. */
export function visibleLines(text: string): string[] {
  return text.split('\n').map(line => visible(line.endsWith('\r') ? line.slice(0, -1) : line))
}

/** Text that is neither markup of Markdown nor the end of a cell of a table. */
export function markdownText(text: string): string {
  return visible(text).replaceAll(/[\\`*_{}[\]<>|#]/g, character => `\\${character}`)
}

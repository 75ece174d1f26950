/** A plot over time with uPlot, which is loaded on first use. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'

export interface PlotProps {
  /** Description for screen readers. */
  label: string
  /** Axes, series and scales, with colors from `css('--accent')`. Called again when `deps` or colors change. */
  options: () => Omit<uPlot.Options, 'width' | 'height'>
  data: uPlot.AlignedData
  /** Pixels. Default 240. */
  height?: number
  deps?: readonly unknown[]
}

/** The color of a design token in the current theme, for a canvas. */
export function css(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** A counter that increases when the colors change: theme, system setting, or presenter mode. */
function useColors(): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const change = () => setCount(known => known + 1)
    const observer = new MutationObserver(change)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'data-presenter'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', change)
    return () => {
      observer.disconnect()
      system.removeEventListener('change', change)
    }
  }, [])
  return count
}

export function Plot({ label, options, data, height = 240, deps = [] }: PlotProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const colors = useColors()
  const latest = useRef({ options, data })
  latest.current = { options, data }

  useEffect(() => {
    const element = host.current!
    let isGone = false
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }))
    void import('uplot').then(({ default: UPlot }) => {
      if (isGone) return
      plot.current = new UPlot(
        { ...latest.current.options(), width: element.clientWidth, height },
        latest.current.data,
        element,
      )
      resized.observe(element)
    })
    return () => {
      isGone = true
      resized.disconnect()
      plot.current?.destroy()
      plot.current = null
    }
  }, [height, colors, ...deps])

  useEffect(() => {
    plot.current?.setData(data)
  }, [data])
  return <div ref={host} class="plot" role="img" aria-label={label} style={{ minHeight: `${height}px` }} />
}

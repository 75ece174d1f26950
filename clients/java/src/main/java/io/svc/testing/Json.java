package io.svc.testing;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A small reader and writer of JSON: objects are maps, lists are lists, whole numbers are {@code Long}, others {@code Double}. */
public final class Json {
  private static final int MAX_DEPTH = 500;

  private final String text;
  private int at;
  private int depth;

  private Json(String text) {
    this.text = text;
  }

  /**
   * Parses a text.
   *
   * @throws IllegalArgumentException if it is not JSON
   */
  public static Object parse(String text) {
    Json reader = new Json(text);
    Object value = reader.value();
    reader.space();
    if (reader.at < text.length()) throw reader.wrong();
    return value;
  }

  /**
   * Writes maps, lists, arrays, texts, numbers, booleans and null.
   *
   * @throws IllegalArgumentException if a value is something else
   */
  public static String write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  /** A parsed object. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    return value instanceof Map ? (Map<String, Object>) value : Map.of();
  }

  /** A parsed list of objects. */
  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> objects(Object value) {
    return value instanceof List ? (List<Map<String, Object>>) value : List.of();
  }

  private static void write(Object value, StringBuilder out) {
    if (value == null || value instanceof Boolean) out.append(value);
    else if (value instanceof Number number) writeNumber(number, out);
    else if (value instanceof CharSequence || value instanceof Character || value instanceof Enum) writeText(value.toString(), out);
    else if (value instanceof Map<?, ?> map) {
      String separator = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.append(separator);
        writeText(String.valueOf(entry.getKey()), out);
        out.append(':');
        write(entry.getValue(), out);
        separator = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof Iterable<?> list) writeList(list, out);
    else if (value.getClass().isArray()) {
      List<Object> list = new ArrayList<>();
      for (int i = 0; i < Array.getLength(value); i++) list.add(Array.get(value, i));
      writeList(list, out);
    } else throw new IllegalArgumentException("not a JSON value: " + value.getClass().getName());
  }

  private static void writeNumber(Number number, StringBuilder out) {
    if (!Double.isFinite(number.doubleValue())) throw new IllegalArgumentException("not a JSON number: " + number);
    out.append(number);
  }

  private static void writeList(Iterable<?> list, StringBuilder out) {
    out.append('[');
    String separator = "";
    for (Object item : list) {
      out.append(separator);
      write(item, out);
      separator = ",";
    }
    out.append(']');
  }

  private static void writeText(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < ' ' || Character.isSurrogate(c)) out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    out.append('"');
  }

  private Object value() {
    space();
    if (at >= text.length() || ++depth > MAX_DEPTH) throw wrong();
    char c = text.charAt(at);
    Object value;
    if (c == '{') value = readObject();
    else if (c == '[') value = readList();
    else if (c == '"') value = readText();
    else if (c == 't') value = word("true", true);
    else if (c == 'f') value = word("false", false);
    else if (c == 'n') value = word("null", null);
    else value = readNumber();
    depth--;
    return value;
  }

  private Map<String, Object> readObject() {
    Map<String, Object> members = new LinkedHashMap<>();
    at++;
    if (skip('}')) return members;
    do {
      space();
      String name = readText();
      if (!skip(':')) throw wrong();
      members.put(name, value());
    } while (skip(','));
    if (!skip('}')) throw wrong();
    return members;
  }

  private List<Object> readList() {
    List<Object> items = new ArrayList<>();
    at++;
    if (skip(']')) return items;
    do items.add(value());
    while (skip(','));
    if (!skip(']')) throw wrong();
    return items;
  }

  private String readText() {
    if (at >= text.length() || text.charAt(at++) != '"') throw wrong();
    StringBuilder read = new StringBuilder();
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') return read.toString();
      if (c < ' ') throw wrong();
      read.append(c == '\\' ? escaped() : c);
    }
    throw wrong();
  }

  private char escaped() {
    if (at >= text.length()) throw wrong();
    char c = text.charAt(at++);
    switch (c) {
      case '"', '\\', '/':
        return c;
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'u':
        if (at + 4 > text.length() || !text.substring(at, at + 4).matches("[0-9A-Fa-f]{4}")) throw wrong();
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
      default:
        throw wrong();
    }
  }

  private Object readNumber() {
    int from = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
    String number = text.substring(from, at);
    if (!number.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) throw wrong();
    if (number.matches("-?[0-9]{1,18}")) return Long.valueOf(number);
    return Double.valueOf(number);
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) throw wrong();
    at += word.length();
    return value;
  }

  private boolean skip(char c) {
    space();
    if (at >= text.length() || text.charAt(at) != c) return false;
    at++;
    return true;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("not JSON, at character " + at);
  }
}

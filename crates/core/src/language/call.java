import java.math.*; import java.util.*; import java.util.function.*; import java.util.stream.*;

/** Calls one method of a submission, and writes what it returns as one line of JSON. Arguments: the submission's file,
 * the name of the method, that of its class or nothing, and how the arguments are written: json or lines. */
class JurorCall {
    private final String text;
    private int at;

    private JurorCall(String text) { this.text = text; }

    public static void main(String[] words) throws Throwable {
        java.io.PrintStream results = System.out;
        // What the submission prints is no result.
        System.setOut(System.err);
        String text = new String(System.in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        Class<?> owner = Class.forName(words[2].isEmpty() ? "Solution" : words[2]);
        for (var method : owner.getDeclaredMethods()) {
            if (!method.getName().equals(words[1]) || method.isSynthetic()) continue;
            method.setAccessible(true);
            var constructor = owner.getDeclaredConstructor();
            constructor.setAccessible(true);
            Object value;
            try {
                Object[] arguments = new JurorCall(text).arguments(method.getGenericParameterTypes(), words[3].equals("json"));
                value = method.invoke(constructor.newInstance(), arguments);
            } catch (java.lang.reflect.InvocationTargetException error) {
                throw error.getCause();
            }
            StringBuilder out = new StringBuilder();
            write(out, value, method.getReturnType());
            System.err.flush();
            results.write(out.append('\n').toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
            results.flush();
            Runtime.getRuntime().halt(0);
        }
        throw new NoSuchMethodException(owner.getName() + " has no method " + words[1]);
    }

    private Object[] arguments(java.lang.reflect.Type[] types, boolean isList) {
        List<Object> all = new ArrayList<>();
        if (isList) take('[');
        for (var type : types) {
            all.add(read(type));
            if (isList) take(',');
        }
        return all.toArray();
    }

    private char next() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean take(char sign) {
        boolean is = next() == sign;
        if (is) at++;
        return is;
    }

    /** A value as its type says. All of the text is valid JSON. */
    private Object read(java.lang.reflect.Type type) {
        Class<?> raw = type instanceof java.lang.reflect.ParameterizedType of ? (Class<?>) of.getRawType()
            : type instanceof Class<?> one ? one : Object.class;
        java.lang.reflect.Type[] inner = type instanceof java.lang.reflect.ParameterizedType of
            ? of.getActualTypeArguments() : new java.lang.reflect.Type[] {Object.class, Object.class};
        if (next() == 'n') {
            at += 4;
            return null;
        }
        if (raw.isArray()) {
            List<Object> all = list(raw.getComponentType());
            Object array = java.lang.reflect.Array.newInstance(raw.getComponentType(), all.size());
            for (int i = 0; i < all.size(); i++) java.lang.reflect.Array.set(array, i, all.get(i));
            return array;
        }
        if (raw == ListNode.class) {
            ListNode before = new ListNode(0), end = before;
            for (Object value : list(int.class)) end = end.next = new ListNode((int) value);
            return before.next;
        }
        if (raw == TreeNode.class) return tree(list(Integer.class));
        if (raw == String.class || raw == char.class || raw == Character.class) {
            String string = string();
            return raw == String.class ? string : (Object) string.charAt(0);
        }
        if (raw == Object.class) {
            char sign = next();
            return read(sign == '[' ? List.class : sign == '{' ? Map.class : sign == '"' ? String.class
                : sign == 't' || sign == 'f' ? boolean.class : number().matches("-?\\d{1,9}") ? int.class : double.class);
        }
        if (Map.class.isAssignableFrom(raw)) {
            Map<Object, Object> map = new LinkedHashMap<>();
            for (take('{'); !take('}'); take(',')) {
                String key = string();
                take(':');
                map.put(key, read(inner[1]));
            }
            return map;
        }
        if (Collection.class.isAssignableFrom(raw)) {
            List<Object> all = list(inner[0]);
            return Set.class.isAssignableFrom(raw) ? new LinkedHashSet<>(all) : all;
        }
        if (raw == boolean.class || raw == Boolean.class) {
            boolean value = next() == 't';
            at += value ? 4 : 5;
            return value;
        }
        String number = number();
        at += number.length();
        if (raw == int.class || raw == Integer.class) return Integer.parseInt(number);
        if (raw == long.class || raw == Long.class) return Long.parseLong(number);
        if (raw == double.class || raw == Double.class) return Double.parseDouble(number);
        if (raw == float.class || raw == Float.class) return Float.parseFloat(number);
        if (raw == BigInteger.class) return new BigInteger(number);
        throw new IllegalArgumentException("juror cannot make an argument of " + type.getTypeName());
    }

    private String number() {
        next();
        int end = at;
        while (end < text.length() && "+-.0123456789eE".indexOf(text.charAt(end)) >= 0) end++;
        return text.substring(at, end);
    }

    private List<Object> list(java.lang.reflect.Type of) {
        if (!take('[')) throw new IllegalArgumentException("expected a list: " + text.substring(at));
        List<Object> all = new ArrayList<>();
        for (; !take(']'); take(',')) all.add(read(of));
        return all;
    }

    private String string() {
        if (!take('"')) throw new IllegalArgumentException("expected a text: " + text.substring(at));
        StringBuilder all = new StringBuilder();
        for (; text.charAt(at) != '"'; at++) {
            char sign = text.charAt(at);
            if (sign == '\\') {
                sign = text.charAt(++at);
                int known = "bfnrt".indexOf(sign);
                if (sign == 'u') {
                    sign = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                    at += 4;
                } else if (known >= 0) {
                    sign = "\b\f\n\r\t".charAt(known);
                }
            }
            all.append(sign);
        }
        at++;
        return all.toString();
    }

    /** From the rows of the tree; null where a node lacks a child. */
    private static TreeNode tree(List<Object> values) {
        Iterator<Object> rest = values.iterator();
        Supplier<TreeNode> node = () -> {
            Object value = rest.hasNext() ? rest.next() : null;
            return value == null ? null : new TreeNode((int) value);
        };
        TreeNode root = node.get();
        Deque<TreeNode> parents = new ArrayDeque<>();
        if (root != null) parents.add(root);
        while (!parents.isEmpty()) {
            TreeNode parent = parents.remove();
            if ((parent.left = node.get()) != null) parents.add(parent.left);
            if ((parent.right = node.get()) != null) parents.add(parent.right);
        }
        return root;
    }

    private static void write(StringBuilder out, Object value, Class<?> type) {
        if (type == ListNode.class || value instanceof ListNode) {
            List<Object> all = new ArrayList<>();
            for (ListNode node = (ListNode) value; node != null; node = node.next) all.add(node.val);
            write(out, all, List.class);
        } else if (type == TreeNode.class || value instanceof TreeNode) {
            List<TreeNode> nodes = new ArrayList<>(Arrays.asList((TreeNode) value));
            for (int i = 0; i < nodes.size(); i++) {
                if (nodes.get(i) != null) nodes.addAll(Arrays.asList(nodes.get(i).left, nodes.get(i).right));
            }
            while (!nodes.isEmpty() && nodes.get(nodes.size() - 1) == null) nodes.remove(nodes.size() - 1);
            write(out, nodes.stream().map(node -> node == null ? null : node.val).collect(Collectors.toList()), List.class);
        } else if (value != null && value.getClass().isArray()) {
            List<Object> all = new ArrayList<>();
            for (int i = 0; i < java.lang.reflect.Array.getLength(value); i++) all.add(java.lang.reflect.Array.get(value, i));
            write(out, all, List.class);
        } else if (value instanceof Map<?, ?> map) {
            String before = "{";
            for (var entry : map.entrySet()) {
                out.append(before);
                write(out, entry.getKey().toString(), String.class);
                out.append(':');
                write(out, entry.getValue(), Object.class);
                before = ",";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> all) {
            String before = "[";
            for (Object part : all) {
                out.append(before);
                write(out, part, Object.class);
                before = ",";
            }
            out.append(before.equals("[") ? "[]" : "]");
        } else if (value instanceof CharSequence || value instanceof Character) {
            out.append('"');
            for (char letter : value.toString().toCharArray()) {
                boolean isPlain = letter >= ' ' && letter != '"' && letter != '\\' && letter < 127;
                out.append(isPlain ? String.valueOf(letter) : String.format("\\u%04x", (int) letter));
            }
            out.append('"');
        } else if (value == null || value instanceof Boolean || value instanceof Number) {
            out.append(value);
        } else {
            throw new IllegalArgumentException("the method returned a " + value.getClass().getName() + ", which JSON lacks");
        }
    }
}

class ListNode {
    int val;
    ListNode next;
    ListNode() {}
    ListNode(int val) { this.val = val; }
    ListNode(int val, ListNode next) { this.val = val; this.next = next; }
}

class TreeNode {
    int val;
    TreeNode left, right;
    TreeNode() {}
    TreeNode(int val) { this.val = val; }
    TreeNode(int val, TreeNode left, TreeNode right) { this.val = val; this.left = left; this.right = right; }
}

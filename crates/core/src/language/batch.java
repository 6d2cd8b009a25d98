/* Runs a program on many inputs, one after the other: its own `main` in a thread of its own for each, with its classes
 * loaded anew, so that what an earlier input left in them is gone. `batch.c` beside this does the same for programs
 * that can fork, and says what is read and written.
 *
 * It is started with the program's class as its first argument. Without inputs for a batch it runs the program as Java
 * would. Where a thread of the program is left, or a file that cannot be taken away, the batch ends. */

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

final class JurorBatch implements Runnable {
    /* What begins the inputs and each frame; the numbers are those of `build/batch.rs`. */
    private static final int INPUTS = 0x316e696a;
    /* What begins them if each is a number of words for the program, these, each with its end, and what it reads. */
    private static final int WORDS = 0x3164776a;
    private static final int FRAME = 0x3174756a;
    /* The longest output that is handed on, in bytes. */
    private static final int LONGEST = 64 << 10;

    private static String program;
    private static String[] arguments;

    private final ClassLoader loader;
    private final String[] words;
    private boolean isWell;

    private JurorBatch(ClassLoader loader, String[] words) {
        this.loader = loader;
        this.words = words;
    }

    public static void main(String[] given) throws Throwable {
        program = given[0];
        arguments = Arrays.copyOfRange(given, 1, given.length);
        ByteBuffer all = inputs();
        if (all == null) {
            start(JurorBatch.class.getClassLoader(), arguments);
            return;
        }
        batch(all);
        Runtime.getRuntime().halt(0);
    }

    /* What is in standard input if it begins as a batch does. */
    private static ByteBuffer inputs() {
        FileChannel channel = new FileInputStream(FileDescriptor.in).getChannel();
        try {
            ByteBuffer first = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder());
            if (channel.read(first, 0) < 4 || first.getInt(0) != INPUTS && first.getInt(0) != WORDS) {
                return null;
            }
            ByteBuffer all = ByteBuffer.allocate((int) channel.size()).order(ByteOrder.nativeOrder());
            while (all.hasRemaining() && channel.read(all, all.position()) > 0) {
            }
            return all.flip();
        } catch (IOException notAFile) {
            return null;
        }
    }

    private static void batch(ByteBuffer all) throws Exception {
        boolean areWords = all.getInt() == WORDS;
        int count = all.getInt();
        if (all.getInt() != 0) {
            /* Whoever ends with an exit code of its own ends this, too. */
            return;
        }
        String input = name(all);
        String output = name(all);
        File[] places = {new File("."), place(System.getenv("TMPDIR")), place(name(all))};
        Set<File> known = listed(places);
        FileOutputStream frames = new FileOutputStream(FileDescriptor.out);
        URL[] classes = {new File(System.getProperty("java.class.path")).toURI().toURL()};
        for (int number = 0; number < count; number++) {
            byte[] text = new byte[all.getInt()];
            all.get(text);
            String[] words = arguments;
            if (areWords) {
                ByteBuffer rest = ByteBuffer.wrap(text).order(ByteOrder.nativeOrder());
                words = allWords(rest);
                text = Arrays.copyOfRange(text, rest.position(), text.length);
            }
            if (input.isEmpty()) {
                System.setIn(new ByteArrayInputStream(text));
            } else {
                Files.write(Path.of(input), text, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING, LinkOption.NOFOLLOW_LINKS);
                System.setIn(new ByteArrayInputStream(new byte[0]));
            }
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            System.setOut(new PrintStream(written));
            JurorBatch run = new JurorBatch(new URLClassLoader(classes, ClassLoader.getPlatformClassLoader()), words);
            Thread thread = new Thread(null, run, "main");
            thread.setContextClassLoader(run.loader);
            thread.start();
            thread.join();
            System.out.flush();
            boolean isAlone = Thread.activeCount() == 1;
            byte[] said = null;
            if (run.isWell && isAlone) {
                said = output.isEmpty() ? written.toByteArray() : file(output);
            }
            if (said != null && said.length > LONGEST) {
                said = null;
            }
            frames.write(frame(number, said));
            if (!isAlone || !sweep(places, known)) {
                return;
            }
        }
    }

    /* The program's words, and behind them those of an input. */
    private static String[] allWords(ByteBuffer all) {
        List<String> words = new ArrayList<>(Arrays.asList(arguments));
        for (int left = all.getInt(); left > 0; left--) {
            words.add(name(all));
        }
        return words.toArray(new String[0]);
    }

    private static byte[] frame(int number, byte[] said) {
        int length = said == null ? 0 : said.length;
        ByteBuffer frame = ByteBuffer.allocate(16 + length).order(ByteOrder.nativeOrder());
        frame.putInt(FRAME).putInt(number).putInt(said == null ? 0 : 1).putInt(length);
        if (said != null) {
            frame.put(said);
        }
        return frame.array();
    }

    private static String name(ByteBuffer all) {
        ByteArrayOutputStream name = new ByteArrayOutputStream();
        for (byte next = all.get(); next != 0; next = all.get()) {
            name.write(next);
        }
        return new String(name.toByteArray(), StandardCharsets.UTF_8);
    }

    /* A directory in which the program may write; none keeps nothing. */
    private static File place(String name) {
        return name == null || name.isEmpty() ? null : new File(name);
    }

    private static Set<File> listed(File[] places) {
        Set<File> all = new HashSet<>();
        for (File place : places) {
            File[] files = place == null ? null : place.listFiles();
            if (files != null) {
                all.addAll(Arrays.asList(files));
            }
        }
        return all;
    }

    /* Takes away what the program left; whether it could. */
    private static boolean sweep(File[] places, Set<File> known) {
        for (File file : listed(places)) {
            if (!known.contains(file) && !file.delete()) {
                return false;
            }
        }
        return true;
    }

    /* What is in a file of the program's own; nothing if there is none, or too much. */
    private static byte[] file(String name) {
        Path path = Path.of(name);
        try {
            boolean isFile = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
            return isFile && Files.size(path) <= LONGEST ? Files.readAllBytes(path) : null;
        } catch (IOException unreadable) {
            return null;
        }
    }

    private static void start(ClassLoader loader, String[] words) throws Throwable {
        Method main = Class.forName(program, false, loader).getMethod("main", String[].class);
        main.setAccessible(true);
        try {
            main.invoke(null, (Object) words);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    @Override
    public void run() {
        try {
            start(loader, words);
            isWell = true;
        } catch (Throwable thrown) {
            isWell = false;
        }
    }
}

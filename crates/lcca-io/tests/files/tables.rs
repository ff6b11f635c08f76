//! Tables as people have them: the guesses, the options that replace them, and the refusals.

use crate::support::*;
use lcca_io::{
    Align, Categorical, Index, Loaded, Missing, ReadOptions, TableOptions, name_rows, pair_rows,
    read_matrix_with,
};

fn table() -> TableOptions {
    TableOptions::default()
}

fn with(options: TableOptions) -> ReadOptions {
    ReadOptions::default().table(options)
}

fn read(text: &str, options: TableOptions) -> Loaded {
    let file = file("t.csv", text);
    read_matrix_with(&file.path, &with(options)).unwrap()
}

fn refused(text: &str, options: TableOptions) -> String {
    complaint_with("t.csv", text, &with(options))
}

fn names(loaded: &Loaded) -> Vec<String> {
    loaded.names().unwrap().map_or(Vec::new(), |names| names.iter().map(String::from).collect())
}

fn row_names(loaded: &Loaded) -> Vec<String> {
    loaded.row_names().unwrap().map_or(Vec::new(), |names| names.iter().map(String::from).collect())
}

fn rows(loaded: &Loaded) -> Vec<Vec<f64>> {
    dense(&loaded.matrix)
}

#[test]
fn what_is_guessed_is_said_in_one_line() {
    for (text, note, columns, index) in [
        ("a,b\n1,2\n3,4\n", "first line taken as names", vec!["a", "b"], vec![]),
        ("1,2\n3,5\n", "first line taken as data", vec![], vec![]),
        (
            "id,a\nx,2\ny,4\n",
            "first line taken as names, column \"id\" as row names",
            vec!["a"],
            vec!["x", "y"],
        ),
        (
            ",a\n7,2\n8,4\n",
            "first line taken as names, the column without a name as row names",
            vec!["a"],
            vec!["7", "8"],
        ),
        (
            "a\nr1,2\nr2,4\n",
            "first line taken as names, the column without a name as row names",
            vec!["a"],
            vec!["r1", "r2"],
        ),
        (
            ",0,1\n0,2.5,3\n1,4,5.5\n",
            "first line taken as names, the column without a name as row names",
            vec!["0", "1"],
            vec!["0", "1"],
        ),
        ("t,b\nTRUE,2\nFALSE,4\n", "first line taken as names", vec!["t", "b"], vec![]),
    ] {
        let loaded = read(text, table());
        assert_eq!(loaded.notes, [note], "{text:?}");
        assert_eq!(
            (names(&loaded), row_names(&loaded)),
            (columns.iter().map(|c| c.to_string()).collect(), index.iter().map(|c| c.to_string()).collect()),
            "{text:?}"
        );
    }
}

#[test]
fn what_could_be_either_is_refused() {
    let either = "so it is either the names of the columns or the first row: say which";
    for text in [
        "s1,1,2\ns2,3,4\n",
        "0,1,2\n5,3,9\n4,4,1\n",
        "1990,1991,1992\n5,3,9\n",
        "0,1\n0.5,3.5\n",
        "id,2019,2020\na,1,2\n",
        "a,NA,NA\nb,1,2\n",
        "x,y\nz,w\n",
        ",1,5\n3,4,5\n",
    ] {
        let message = refused(text, table());
        assert!(message.starts_with("/t.csv: line 1: ") && message.contains(either), "{text:?}: {message}");
    }
    assert_eq!(rows(&read("s1,1,2\ns2,3,4\n", table().header(false))), [[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(rows(&read("0,1,2\n5,3,9\n", table().header(false))).len(), 2);
    let named = read("0,1,2\n5,3,9\n", table().header(true));
    assert_eq!(
        (names(&named), rows(&named)),
        (vec!["0".into(), "1".into(), "2".into()], vec![vec![5.0, 3.0, 9.0]])
    );
}

#[test]
fn no_cell_turns_its_column_into_names() {
    let missing = refused("a,b\nNA,2\n3,4\n", table());
    assert!(
        missing.contains("line 2: column \"a\": the value is missing (\"NA\"); 1 value is missing in 1 row"),
        "{missing}"
    );
    let dates = refused("day,b\n2020-01-31,2\n2020-02-01,4\n", table());
    assert!(dates.contains("column \"day\": holds dates (\"2020-01-31\")"), "{dates}");
    let separators = refused("m,b\n\"1,234.5\",2\n\"2,000.5\",4\n", table());
    assert!(separators.contains("column \"m\": holds numbers with separators"), "{separators}");
    let mixed = refused("m,b\n950,2\n\"2,000.5\",4\n", table());
    assert!(
        mixed.contains("line 3: column \"m\": expected a number, found \"2,000.5\", which has separators"),
        "{mixed}"
    );
    let late = format!("a,b\n{}1,x\n", "1,2\n".repeat(1000));
    assert!(refused(&late, table()).contains("line 1002: column \"b\": expected a number, found \"x\""));
}

#[test]
fn the_index_is_what_the_caller_says() {
    let text = "a,id,b\n1,x,2\n3,y,4\n";
    let loaded = read(text, table().index(Index::Column("id".into())));
    assert_eq!(
        (rows(&loaded), row_names(&loaded)),
        (vec![vec![1.0, 2.0], vec![3.0, 4.0]], vec!["x".into(), "y".into()])
    );
    let by_number = read(text, table().index(Index::Column("2".into())));
    assert_eq!(row_names(&by_number), ["x", "y"]);
    assert!(
        refused(text, table().index(Index::Column("no".into())))
            .contains("there is no column \"no\", expected one of \"a\"")
    );
    let none = refused("id,a\nx,2\ny,4\n", table().index(Index::None));
    assert!(none.contains("column \"id\": holds texts"), "{none}");
    let repeated: String = (0..150).map(|row| format!("s{},{row}\n", row % 120)).collect();
    let message = refused(&format!("id,a\n{repeated}"), table());
    assert!(
        message.contains("column \"id\": was taken as row names, but \"s0\" occurs more than once"),
        "{message}"
    );
}

#[test]
fn missing_values_are_dropped_or_become_means() {
    let text = "a,b,c\n1,NA,10\n2,5,\n6,7,40\n";
    let all = refused(text, table());
    assert!(
        all.contains("line 2: column \"b\": the value is missing (\"NA\"); 2 values are missing in 2 rows"),
        "{all}"
    );
    let dropped = read(text, table().missing(Missing::Drop));
    assert_eq!((rows(&dropped), dropped.dropped_rows()), (vec![vec![6.0, 7.0, 40.0]], &[0, 1][..]));
    assert_eq!(dropped.notes[1], "2 missing values in 2 rows, left out");
    let means = read(text, table().missing(Missing::Mean));
    assert_eq!(rows(&means), [[1.0, 6.0, 10.0], [2.0, 5.0, 25.0], [6.0, 7.0, 40.0]]);
    let listed = read("a,b\n-9,2\n3,?\n", table().na(vec!["-9".into(), "?".into()]).missing(Missing::Mean));
    assert_eq!(rows(&listed), [[3.0, 2.0], [3.0, 2.0]]);
    assert!(refused("a,b\nNA,1\n,2\n", table().missing(Missing::Mean)).contains("has no value at all"));
    assert!(refused("a,b\nNA,1\n3,\n", table().missing(Missing::Drop)).contains("no row is left"));
}

#[test]
fn sparse_tables_stay_sparse_when_filled() {
    let text = format!("a,b,c,d,e\n{}0,0,0,NA,0\n", "0,0,0,0,1\n0,0,0,2,0\n".repeat(4));
    let loaded = read(&text, table().missing(Missing::Mean));
    assert_eq!(
        (loaded.matrix.kind(), rows(&loaded)[8].clone()),
        ("sparse f32", vec![0.0, 0.0, 0.0, 1.0, 0.0])
    );
}

#[test]
fn every_format_settles_missing_values_alike() {
    let numbers = |name: &str, bytes: Vec<u8>, missing| {
        let file = file(name, bytes);
        rows(&read_matrix_with(&file.path, &with(table().missing(missing))).unwrap())
    };
    let array = npy("<f8", false, "3, 2", bytemuck::cast_slice(&[1.0, 2.0, f64::NAN, 4.0, 5.0, 9.0]));
    let sparse = archive(
        &csr([3, 2], &[0, 2, 4, 6], &[0, 1, 0, 1, 0, 1], &[1.0, 2.0, f64::NAN, 4.0, 5.0, 9.0]),
        false,
    );
    let market = "%%MatrixMarket matrix array real general\n3 2\n1\nnan\n5\n2\n4\n9\n";
    let coordinates =
        "%%MatrixMarket matrix coordinate real general\n3 2 6\n1 1 1\n1 2 2\n2 1 nan\n2 2 4\n3 1 5\n3 2 9\n";
    for (name, bytes) in [
        ("m.npy", array),
        ("m.npz", sparse),
        ("m.mtx", market.into()),
        ("n.mtx", coordinates.into()),
        ("m.svm", b"1 1:1 2:2\n1 1:nan 2:4\n1 1:5 2:9\n".to_vec()),
        ("m.csv", b"a,b\n1,2\nnan,4\n5,9\n".to_vec()),
    ] {
        let filled = numbers(name, bytes.clone(), Missing::Mean);
        assert_eq!(filled, [[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]], "{name}");
        assert_eq!(numbers(name, bytes, Missing::Drop), [[1.0, 2.0], [5.0, 9.0]], "{name}");
    }
}

#[test]
fn categories_become_indicators() {
    let text = "color,n\nred,1\nblue,2\nred,3\nblue,4\n";
    let loaded = read(text, table());
    assert_eq!(names(&loaded), ["color=blue", "color=red", "n"]);
    assert_eq!(rows(&loaded), [[0.0, 1.0, 1.0], [1.0, 0.0, 2.0], [0.0, 1.0, 3.0], [1.0, 0.0, 4.0]]);
    assert_eq!(loaded.notes[1], "column \"color\" taken as 2 categories");
    assert!(
        refused(text, table().categorical(Categorical::Error))
            .contains("column \"color\": holds texts (\"red\")")
    );
    let coded =
        read("group,n\n1,1\n2,2\n1,3\n2,4\n", table().categorical(Categorical::Columns(vec!["gr*".into()])));
    assert_eq!(names(&coded), ["group=1", "group=2", "n"]);
    let free: String = (0..20).map(|row| format!("{row},note {row}\n")).collect();
    assert!(
        refused(&format!("n,note\n{free}"), table())
            .contains("column \"note\": holds texts (\"note 0\"), 20 different")
    );
    let missing = read("color,n\nred,1\n,2\nred,3\nblue,4\nblue,4\n", table().missing(Missing::Mean));
    assert_eq!(rows(&missing)[1], [0.5, 0.5, 2.0]);
}

#[test]
fn only_the_columns_asked_for_are_read() {
    let text = "id,gene_a,note,gene_b\ns1,1,free text,2\ns2,3,other text,4\n";
    let loaded = read(text, table().columns(vec!["gene_*".to_string()]));
    assert_eq!(
        (names(&loaded), row_names(&loaded)),
        (vec!["gene_a".into(), "gene_b".into()], vec!["s1".into(), "s2".into()])
    );
    assert!(
        refused(text, table().columns(vec!["lipid_*".to_string()]))
            .contains("there is no column \"lipid_*\"")
    );
}

#[test]
fn separators_quotes_and_line_ends_do_not_mislead() {
    let loaded = read("a;b\n1;2\n3;4\n", table());
    assert_eq!(
        (rows(&loaded), loaded.notes[0].as_str()),
        (vec![vec![1.0, 2.0], vec![3.0, 4.0]], "fields are between semicolons")
    );
    assert_eq!(rows(&read("a;b\n1;2\n  \n3;4\n", table())), [[1.0, 2.0], [3.0, 4.0]], "a blank line");
    assert!(
        refused("a b\n1 2\n3 4\n", table())
            .contains("has fields between spaces, expected them between commas")
    );
    let quoted = read("\"first\nname\",b\n1,2\n\n3,4\n", table());
    assert_eq!((names(&quoted), rows(&quoted).len()), (vec!["first\nname".into(), "b".into()], 2));
    let open = refused("a,b\n\"1,2\n3,4\n", table());
    assert!(open.contains("line 2: a quote opens a field here that does not end"), "{open}");
    let late = refused("\"first\nname\",b\n1,2\n\n3,x\n", table());
    assert!(late.contains("line 5: column \"b\": expected a number"), "{late}");
    let many: String = (0..30_000).map(|row| format!("\"row\n{row}\",{row}\n")).collect();
    let loaded = read(&format!("id,n\n{many}"), table());
    assert_eq!((loaded.matrix.rows(), row_names(&loaded)[29_999].as_str()), (30_000, "row\n29999"));
}

#[test]
fn an_arrow_stream_is_called_one() {
    let stream = [0xff, 0xff, 0xff, 0xff, 0x10, 0x01, 0, 0, 0x10, 0, 0, 0];
    assert!(complaint("s.arrow", stream).contains("is an Arrow stream, expected an Arrow file"));
}

#[test]
fn a_numeric_id_is_pointed_out() {
    let text = "id,a\n1,5\n2,7\n3,1\n";
    let loaded = read(text, table());
    assert!(
        loaded.notes[1].starts_with("column \"id\" holds a different whole number in each row"),
        "{:?}",
        loaded.notes
    );
    assert_eq!(read("case,a\n1,5\n0,7\n1,1\n", table()).notes.len(), 1);
    let said = read(text, table().index(Index::None));
    assert_eq!((said.notes.len(), names(&said)), (1, vec!["id".into(), "a".into()]));
    let asked = read(text, table().columns(vec!["id".to_string(), "a".into()]));
    assert!(asked.ids().is_empty() && asked.notes.len() == 1, "{:?}", asked.notes);
}

#[test]
fn a_numeric_id_names_the_rows_if_both_views_have_it() {
    let drop = || table().missing(Missing::Drop);
    let x = read("id,a\n31,5\n52,\n23,1\n44,2\n", drop());
    let y = read("b,id\n10,44\n30,23\n50,31\n20,52\n", drop());
    let ([x, y], remarks) = name_rows([x, y], ["X", "Y"], Align::Auto).unwrap();
    assert_eq!((names(&x), names(&y), remarks.len()), (vec!["a".into()], vec!["b".into()], 2));
    assert_eq!(row_names(&x), ["31", "23", "44"]);
    assert!(x.notes.iter().chain(&y.notes).all(|note| !note.contains("taken as data")), "{:?}", x.notes);
    let paired = pair_rows([&x, &y], Align::Auto).unwrap();
    assert_eq!(
        paired.matrices.each_ref().map(dense),
        [vec![vec![5.0], vec![1.0], vec![2.0]], vec![vec![50.0], vec![30.0], vec![10.0]]]
    );
    let alone = read("id\n1\n2\n", table());
    let other = read("id,b\n2,5\n1,6\n", table());
    let error = name_rows([alone, other], ["X", "Y"], Align::Auto).err().unwrap().to_string();
    assert!(error.contains("has no column but \"id\""), "{error}");
}

#[test]
fn rows_find_each_other_by_name() {
    let x = || read("id,a\ns1,1\ns2,2\ns3,3\n", table());
    let y = |text: &str| read(&format!("id,b\n{text}"), table());
    let shuffled = pair_rows([&x(), &y("s3,30\ns1,10\ns2,20\n")], Align::Auto).unwrap();
    assert_eq!(dense(&shuffled.matrices[1]), [[10.0], [20.0], [30.0]]);
    assert_eq!((shuffled.rows[0].clone(), shuffled.rows[1].clone()), (None, Some(vec![1, 2, 0])));
    let by_position = pair_rows([&x(), &y("s3,30\ns1,10\ns2,20\n")], Align::None).unwrap();
    assert_eq!(dense(&by_position.matrices[1]), [[30.0], [10.0], [20.0]]);
    let error = pair_rows([&x(), &y("s3,30\ns9,10\ns2,20\n")], Align::Auto).err().unwrap().to_string();
    assert!(
        error.contains("1 of its 3 rows are not in")
            && error.contains("(\"s1\")")
            && error.contains("(\"s9\")"),
        "{error}"
    );
    let common = pair_rows([&x(), &y("s3,30\ns9,10\ns2,20\n")], Align::Common).unwrap();
    assert_eq!(
        common.matrices.each_ref().map(dense),
        [vec![vec![2.0], vec![3.0]], vec![vec![20.0], vec![30.0]]]
    );
    let named = |text: &str| read(text, table().index(Index::Column("id".into())));
    let twice = named("id,b\ns1,1\ns1,2\ns3,3\n");
    let error = pair_rows([&x(), &twice], Align::Auto).err().unwrap().to_string();
    assert!(error.contains("the row name \"s1\" occurs in rows 1 and 2"), "{error}");
}

#[test]
fn rows_are_dropped_from_both_views_together() {
    let drop = || table().missing(Missing::Drop);
    let (x, y) = (read("a\n1\nNA\n3\n4\n", drop()), read("b\n10\n20\n30\n.\n", drop()));
    let paired = pair_rows([&x, &y], Align::Auto).unwrap();
    assert_eq!(
        paired.matrices.each_ref().map(dense),
        [vec![vec![1.0], vec![3.0]], vec![vec![10.0], vec![30.0]]]
    );
    assert_eq!(paired.rows, [Some(vec![0, 2]), Some(vec![0, 2])]);
    let (x, y) = (read("id,a\ns1,1\ns2,NA\ns3,3\n", drop()), read("id,b\ns3,30\ns2,20\ns1,10\n", drop()));
    let paired = pair_rows([&x, &y], Align::Auto).unwrap();
    assert_eq!(
        paired.matrices.each_ref().map(dense),
        [vec![vec![1.0], vec![3.0]], vec![vec![10.0], vec![30.0]]]
    );
}

#[test]
fn counted_rows_are_paired_by_position() {
    let (pandas, r) = (read(",a\n0,1\n1,2\n", table()), read("\"\",\"b\"\n\"1\",10\n\"2\",20\n", table()));
    let paired = pair_rows([&pandas, &r], Align::Auto).unwrap();
    assert_eq!((dense(&paired.matrices[1]), paired.remarks.len()), (vec![vec![10.0], vec![20.0]], 1));
}

#[test]
fn a_store_keeps_the_names_of_rows() {
    let loaded = read("id,a\ns1,1\ns2,2\n", table());
    let store = scratch("t.lcca");
    let (columns, rows) = (loaded.names().unwrap(), loaded.row_names().unwrap());
    lcca_io::write_with_names(&store.path, &loaded.matrix, columns.as_ref(), rows.as_ref()).unwrap();
    let again = lcca_io::read_matrix(&store.path).unwrap();
    assert_eq!((row_names(&again), names(&again)), (vec!["s1".into(), "s2".into()], vec!["a".into()]));
}

#[test]
fn rows_left_out_of_both_views_are_counted_once() {
    let drop = || table().missing(Missing::Drop);
    let x = read("id,a\ns1,1\ns2,NA\ns3,3\ns4,4\n", drop());
    let y = read("id,b\ns4,NA\ns2,NA\ns1,10\ns9,9\n", drop());
    let paired = pair_rows([&x, &y], Align::Common).unwrap();
    assert_eq!(dense(&paired.matrices[1]), [[10.0]]);
    let counted = lcca_io::Remark::IncompletePairs { dropped: 2, rows: 1 };
    assert!(paired.remarks.contains(&counted), "{:?}", paired.remarks);
}

#[test]
fn a_stray_quote_is_found_without_reading_lines_again() {
    // Looking at all bytes again for each line would take 2^18 times a megabyte.
    let lines = "1,2\n".repeat(1 << 19);
    let open = refused(&format!("a,b\n{}\"1,2\n{lines}", "3,4\n".repeat(500)), table());
    assert!(open.contains("line 502: a quote opens a field here that does not end"), "{open}");
    let long = read(&format!("id,n\n\"{}\",1\nb,2\n", "x\n".repeat(1 << 18)), table());
    assert_eq!((long.matrix.rows(), row_names(&long)[0].len()), (2, (2 << 18) - 1));
}

#[test]
fn a_quote_that_another_one_closes_merges_no_rows() {
    let merged = refused("id,n\n\"a,1\n\"b\",2\n\"c\",3\n", table());
    assert!(merged.contains("line 2: a quote opens a field here, and text follows"), "{merged}");
    assert_eq!(rows(&read("a,b\n\"1\" , 2\n 3,\"4\"\r\n", table())), [[1.0, 2.0], [3.0, 4.0]]);
}

#[test]
fn words_for_missing_values_are_categories_among_texts() {
    let text = "bags,n\nNone,1\nDriver,NA\nNone,3\nDriver,4\nNA,5\nNA,6\n";
    let message = refused(text, table());
    assert!(message.contains("line 3: column \"n\": the value is missing (\"NA\"); 1 value is"), "{message}");
    let filled = read(text, table().missing(Missing::Mean));
    assert_eq!(names(&filled), ["bags=Driver", "bags=NA", "bags=None", "n"]);
    assert_eq!(filled.notes[1], "column \"bags\" taken as 3 categories, \"None\", \"NA\" among them");
    let listed = refused(text, table().na(vec!["NA".into()]));
    assert!(listed.contains("line 3: column \"n\": the value is missing (\"NA\"); 3 values"), "{listed}");
    let only = refused("a,b\nNone,1\nNone,2\n", table());
    assert!(only.contains("line 2: column \"a\": the value is missing (\"None\")"), "{only}");
    let empty = refused("bags,n\nDriver,1\n,2\nDriver,3\n", table());
    assert!(empty.contains("line 3: column \"bags\": the value is missing; 1 value"), "{empty}");
    // The NA of Namibia is a row name like any other.
    assert_eq!(row_names(&read("country,n\nDE,1\nNA,2\n", table())), ["DE", "NA"]);
}

#[test]
fn a_row_that_lacks_a_field_does_not_become_names() {
    let text = "1,2,3\n4,5,6,7\n8,9,10,11\n5,2,2,1\n";
    let short = refused(text, table());
    assert!(short.contains("line 1: has 3 fields where the rows below it have 4"), "{short}");
    let row = refused(text, table().header(false));
    assert!(row.contains("line 1: has 3 fields, expected 4 as in the rows below it"), "{row}");
    assert_eq!(read(text, table().header(true)).matrix.rows(), 3);
    assert!(refused("a,b\nr,1,2\nr,3,4\n", table()).contains("say which"), "names of rows never repeat");
}

#[test]
fn labels_that_are_written_otherwise_than_the_rows_are_refused() {
    let rows_below = "0.5,2.0312\n1.0,1.7719\n2.5,9.1203\n0.25,4.0005\n3.0,5.5151\n";
    let labels = refused(&format!("10,2.50\n{rows_below}"), table());
    assert!(labels.contains("line 1: holds numbers that look like labels"), "{labels}");
    assert_eq!(read(&format!("1.5,2.5000\n{rows_below}"), table()).matrix.rows(), 6);
}

#[test]
fn columns_of_one_name_are_refused_with_their_places() {
    let text = "a,b,a\n1,2,3\n4,5,7\n";
    let expected = "columns 1 and 3 are both called \"a\", expected different names";
    for options in [table(), table().columns(vec!["a".to_string()]), table().index(Index::Column("a".into()))]
    {
        let message = refused(text, options);
        assert!(message.contains(expected), "{message}");
    }
    assert_eq!(names(&read(text, table().columns(vec!["b".to_string(), "3".to_string()]))), ["b", "a"]);
    let made = refused("c=x,c\n1,x\n2,y\n3,x\n4,y\n", table());
    assert!(made.contains("two columns would be called \"c=x\""), "{made}");
}

#[test]
fn decimal_commas_are_guessed_or_said() {
    let text = "a;b\n1,5;2\n-3,25;4,5\n";
    let loaded = read(text, table());
    assert_eq!(rows(&loaded), [[1.5, 2.0], [-3.25, 4.5]]);
    assert_eq!(loaded.notes[..2], ["fields are between semicolons", "numbers have decimal commas"]);
    let point = refused(text, table().decimal('.'));
    assert!(point.contains("column \"a\": holds numbers with separators or units (\"1,5\")"), "{point}");
    let thousands = "a;b\n1,250;2\n3,000;4\n";
    assert!(refused(thousands, table()).contains("holds numbers with separators"));
    assert_eq!(rows(&read(thousands, table().decimal(','))), [[1.25, 2.0], [3.0, 4.0]]);
    let mixed = refused("a;b\n1,5;2\n2,5;4.5\n", table());
    assert!(mixed.contains("(\"1,5\")"), "{mixed}");
}

#[test]
fn the_delimiter_is_what_the_caller_says() {
    assert_eq!(rows(&read("a|b\n1|2\n", table().delimiter('|'))), [[1.0, 2.0]]);
    assert_eq!(rows(&read("a  b\n 1 2\n3   4 \n", table().delimiter(' '))), [[1.0, 2.0], [3.0, 4.0]]);
    assert!(refused("a|b\n1|2\n", table().delimiter('1')).contains("fields cannot be between '1'"));
    let text = file("t.txt", "a\tb\n1\t2\n");
    assert_eq!(rows(&read_matrix_with(&text.path, &with(table().delimiter('\t'))).unwrap()), [[1.0, 2.0]]);
    assert!(complaint("t.txt", "a\tb\n1\t2\n").contains("or say what is between its fields"));
    assert!(complaint("t.xlsx", "PK\x03\x04").contains("is a spreadsheet"));
}

#[test]
fn one_column_is_read_though_its_name_holds_another_separator() {
    let weights = "Weight, kg\n71,5\n80,25\n";
    let loaded = read(weights, table().delimiter('\t').decimal(','));
    assert_eq!((names(&loaded), rows(&loaded)), (vec!["Weight, kg".into()], vec![vec![71.5], vec![80.25]]));
    // If the caller does not give the character before decimals, these could be two columns of whole
    // numbers.
    let either = refused(weights, table().delimiter('\t'));
    assert!(either.contains("either between two fields or before decimals: say which"), "{either}");
    for (name, cells) in [("com,ma", ["0,5", "1,25"]), ("temp °C", ["0.5", "1.25"])] {
        let [a, b] = cells;
        let text = file("t.tsv", format!("{name}\nrow 1\t{a}\nrow 2\t{b}\n"));
        let loaded = read_matrix_with(&text.path, &with(table())).unwrap();
        assert_eq!((names(&loaded), rows(&loaded)), (vec![name.to_string()], vec![vec![0.5], vec![1.25]]));
        assert_eq!(row_names(&loaded), ["row 1", "row 2"]);
    }
}

#[test]
fn utf_16_and_old_line_ends_are_read() {
    let text = "größe,b\r\n1,2\r\n";
    for big_endian in [false, true] {
        let bytes = |unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
        let encoded: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect();
        let file = file("t.csv", encoded.clone());
        let loaded = read_matrix_with(&file.path, &with(table())).unwrap();
        assert_eq!((names(&loaded), rows(&loaded)), (vec!["größe".into(), "b".into()], vec![vec![1.0, 2.0]]));
        assert!(complaint("t.csv", &encoded[2..]).contains("UTF-16 without a mark"));
    }
    assert_eq!(rows(&read("a,b\r1,2\r3,4\r", table())), [[1.0, 2.0], [3.0, 4.0]]);
}

#[test]
fn a_blank_line_is_a_missing_value_if_there_is_but_one_column() {
    assert_eq!(rows(&read("a,b\n\n1,2\n  \n3,4\n\n", table())), [[1.0, 2.0], [3.0, 4.0]]);
    let one = refused("a\n\n1\n\n2\n\n", table());
    assert!(
        one.contains("line 2: column \"a\": the value is missing; 2 values are missing in 2 rows"),
        "{one}"
    );
    assert_eq!(rows(&read("a\n1\n\"\"\n2\n\n\n", table().missing(Missing::Drop))), [[1.0], [2.0]]);
}
